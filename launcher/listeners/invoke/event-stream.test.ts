import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createJournal } from '../../runs/journal.ts'
import type { Journal } from '../../runs/journal.ts'
import { streamEvents } from './event-stream.ts'
import type { StreamLimits } from './event-stream.ts'

/** A journal with one reader that reads nothing until it is resumed. */
async function stalledReader(t: TestContext, limits: Partial<StreamLimits>) {
  const journal = createJournal(['robot'], () => new Date())
  const server = createServer((_, response) =>
    streamEvents(response, { runId: 'r1', follow: journal.follow }, 0, limits),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => {
    socket.destroy()
    server.close()
  })
  socket.on('error', () => undefined)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(server, 'request')
  return { journal, socket }
}

/** Writes entries of 1 KiB until the buffers of both sockets are full and the journal reports pressure that lasts. */
async function fill(journal: Journal): Promise<{ readonly pressure: Promise<void> }> {
  for (let entries = 0; entries < 40_000; entries++) {
    journal.append('step.started', { text: 'x'.repeat(1024) }, 'span')
    const pressure = journal.pressure()
    if (pressure !== undefined && !(await isSettledSoon(pressure))) return { pressure }
  }
  throw new Error('40 MB without pressure')
}

async function isSettledSoon(promise: Promise<void>): Promise<boolean> {
  const state = { settled: false }
  void promise.then(() => (state.settled = true))
  for (let turn = 0; turn < 20 && !state.settled; turn++) await new Promise(setImmediate)
  return state.settled
}

test('PODS6, F6: a reader that is behind pauses the agent until it has caught up', async (t) => {
  const { journal, socket } = await stalledReader(t, { pressureBytes: 64 * 1024 })
  const { pressure } = await fill(journal)
  socket.on('data', () => undefined)
  socket.resume()
  await pressure
  assert.equal(journal.pressure(), undefined)
})

test('F6: a reader that reads nothing is disconnected, and the agent continues', async (t) => {
  const { journal } = await stalledReader(t, { pressureBytes: 64 * 1024, stalledMs: 50 })
  const { pressure } = await fill(journal)
  await pressure
  assert.equal(journal.pressure(), undefined, 'no reader is left')
})

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
