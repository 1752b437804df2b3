import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createJournal } from './journal.ts'
import type { Journal } from './journal.ts'
import { streamEvents } from './event-stream.ts'
import type { StreamLimits } from './event-stream.ts'

/** A journal with one reader that takes nothing until it is resumed. */
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

/** Writes entries of 1 KiB until the buffers of both sockets are full and the journal asks for a pause that lasts. */
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

test('F6: a reader that takes nothing is cut, and the agent goes on', async (t) => {
  const { journal } = await stalledReader(t, { pressureBytes: 64 * 1024, stalledMs: 50 })
  const { pressure } = await fill(journal)
  await pressure
  assert.equal(journal.pressure(), undefined, 'no reader is left')
})

test('PODS6: the size of a journal is that of its memory, also for small entries and single letters', () => {
  const entries = createJournal(['robot'], () => new Date())
  for (let count = 0; count < 1000; count++) entries.append('step.started', {}, 'span')
  assert.ok(entries.bytes > 1000 * 300, `${entries.bytes} bytes`)
  const letters = createJournal(['robot'], () => new Date())
  letters.append('message.started', { messageId: 'm' }, 'span')
  for (let count = 0; count < 1000; count++) letters.delta('m', 'x', 'span')
  assert.ok(letters.bytes > 1000 * 90, `${letters.bytes} bytes`)
  letters.append('message.finished', { messageId: 'm', text: '' }, 'span')
  assert.ok(letters.bytes < 2000, 'a finished message is counted by its entry')
})
