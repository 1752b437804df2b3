import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStallGate } from './circuit-breaker.ts'
import { KubeError } from './status.ts'

const refused = (error: unknown): boolean =>
  error instanceof KubeError && error.status === 503 && error.details.retryAfterSeconds === 1

test('K4: while a server does not respond, calls above the limit are refused with Retry-After', () => {
  let now = 0
  const gate = createStallGate({ underWay: 2, silentMs: 1_000 }, () => now)
  now = 50_000
  const first = gate.enter()
  gate.enter()
  now += 1_000
  const burst = gate.enter()
  now += 1
  assert.throws(() => gate.enter(), refused)
  // An aborted call is not a response.
  burst(false)
  assert.throws(() => gate.enter(), refused)
  first(true)
  gate.enter()
  gate.enter()
})

test('K4: calls below the limit are allowed however long the server is silent, so that one of them detects its recovery', () => {
  let now = 0
  const gate = createStallGate({ underWay: 2, silentMs: 1_000 }, () => now)
  const leave = gate.enter()
  now = 60_000
  gate.enter()
  assert.throws(() => gate.enter(), refused)
  leave(false)
  gate.enter()
})
