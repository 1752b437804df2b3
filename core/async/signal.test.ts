import assert from 'node:assert/strict'
import test from 'node:test'
import { createSignal, createSignalHub } from './signal.ts'

const longMs = 60_000

test('a wait ends at the next notification, and a notification before it counts once', async () => {
  const signal = createSignal()
  const waiting = signal.wait(longMs)
  signal.notify()
  await waiting
  signal.notify()
  signal.notify()
  await signal.wait(longMs)
  const started = performance.now()
  await signal.wait(20)
  assert.ok(performance.now() - started >= 15, 'notifications of the past are counted once')
})

test('a wait ends when its abort signal aborts, also before it began', async () => {
  const signal = createSignal()
  const stop = new AbortController()
  const waiting = signal.wait(longMs, stop.signal)
  stop.abort()
  await waiting
  await signal.wait(longMs, stop.signal)
})

test('a hub notifies each subscriber', async () => {
  const hub = createSignalHub()
  const [a, b] = [hub.subscribe(), hub.subscribe()]
  hub.notify()
  await Promise.all([a.wait(longMs), b.wait(longMs)])
})
