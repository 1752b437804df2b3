import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import test from 'node:test'
import { listen } from '#test/harness/listen.ts'
import { onClose } from './on-close.ts'

test('functions are called once, in order, when a response ends or its client leaves; one listener serves them', async (t) => {
  const called: number[] = []
  const closed = Promise.withResolvers<void>()
  const seen: number[] = []
  const url = await listen(
    t,
    createServer((_, response) => {
      const before = response.listenerCount('close')
      for (let n = 0; n < 30; n++) onClose(response, () => called.push(n))
      onClose(response, () => onClose(response, closed.resolve))
      seen.push(response.listenerCount('close') - before)
      response.flushHeaders()
    }),
  )
  const client = request(url, (response) => response.destroy()).end()
  client.on('error', () => undefined)
  await closed.promise
  assert.deepEqual(
    called,
    Array.from({ length: 30 }, (_, n) => n),
  )
  assert.deepEqual(seen, [1])
})
