import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { sendLargeBody } from '#test/harness/large-body.ts'
import { respondToBrokenRequest } from './broken-request.ts'

test(
  'R2-M15: a client that writes 5 MiB of header fields before it reads gets its 431',
  { timeout: 30_000 },
  async (t) => {
    const server = createServer()
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => respondToBrokenRequest(error.code, socket))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const head = ['GET / HTTP/1.1', 'Host: x', `X: ${'x'.repeat(1024 * 1024)}`]
    const { text, error } = await sendLargeBody({ port, head, framing: 'length', mebibytes: 4 })
    assert.equal(error, undefined)
    assert.match(text, /^HTTP\/1\.1 431 [\s\S]*\r\n\r\n\{.*"detail":"[^"]/)
  },
)
