import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { Dispatcher } from 'undici'
import { createPool } from '#core/kube/connection-pool.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { createOutbound } from './outbound.ts'

/** A TLS server that offers HTTP/2 and HTTP/1.1, and answers with the version that the client chose. */
async function listen(t: TestContext): Promise<{ readonly url: string; readonly ca: string }> {
  const folder = tempFolder('http-version')
  t.after(folder.remove)
  const [keyFile, certFile] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', keyFile, '-out', certFile]
  execFileSync('openssl', [...made, ...subject], { stdio: 'ignore' })
  const ca = readFileSync(certFile, 'utf8')
  const server = createSecureServer(
    { key: readFileSync(keyFile), cert: ca, allowHTTP1: true },
    (request, response) => void response.end(request.httpVersion),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, ca }
}

async function versionOf(dispatcher: Dispatcher, origin: string): Promise<string> {
  const { body } = await dispatcher.request({ origin, path: '/', method: 'GET' })
  return body.text()
}

test('calls use HTTP/1.1 where the server offers HTTP/2: a watch does not share a connection, and bundles have no HTTP/2', async (t) => {
  const { url, ca } = await listen(t)
  const pool = createPool(url, { ca })
  t.after(pool.close)
  const outbound = createOutbound({ allow: ['127.0.0.1'] })
  const models = outbound.open({ connections: 1, ca })
  t.after(() => Promise.all([models.destroy(), outbound.close()]))
  assert.deepEqual(
    await Promise.all([pool.calls, pool.streams, models].map((dispatcher) => versionOf(dispatcher, url))),
    ['1.1', '1.1', '1.1'],
  )
})
