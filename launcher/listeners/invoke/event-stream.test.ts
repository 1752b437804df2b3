import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import test from 'node:test'
import { streamEvents } from './event-stream.ts'

test('PODS6: a reader that reads the end of a stream slowly gets no heartbeat after it', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  // Without a socket nothing is ever read: the answer has ended and does not close.
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  const errors: Error[] = []
  response.on('error', (error) => errors.push(error))
  streamEvents(response, { runId: 'r1', follow: (_, follower) => (follower.end(), () => undefined) }, 0)
  t.mock.timers.tick(45_000)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([errors, response.writableEnded], [[], true])
})
