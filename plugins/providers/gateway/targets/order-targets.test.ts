import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { GatewayError } from '../errors/gateway-error.ts'
import type { FailureReason } from '../errors/failure-reason.ts'
import { orderTargets } from './order-targets.ts'
import { retryRulesOf } from './retry-rules.ts'

const targets = [{ name: 'a', weight: 70 }, { name: 'b', weight: 25 }, { name: 'c', weight: 5 }, { name: 'd' }]

test('targets share runs by their weights, and a run keeps its order', () => {
  const runs = 20_000
  const first = new Map<string, number>()
  for (let n = 0; n < runs; n++) {
    const id = randomUUID()
    const ordered = orderTargets(targets, id)
    assert.deepEqual(orderTargets(targets, id), ordered)
    assert.equal(new Set(ordered).size, targets.length)
    const name = ordered[0]?.name ?? ''
    first.set(name, (first.get(name) ?? 0) + 1)
  }
  for (const { name, weight = 1 } of targets) {
    const share = weight / 101
    // Five standard deviations.
    const bound = 5 * Math.sqrt((share * (1 - share)) / runs)
    assert.ok(Math.abs((first.get(name) ?? 0) / runs - share) < bound, `${name}: ${first.get(name)}`)
  }
})

test('calls without a run are divided, too, and 16 targets have an order', () => {
  const seen = new Set(Array.from({ length: 500 }, () => orderTargets(targets, undefined)[0]?.name))
  assert.ok(seen.has('a') && seen.has('b'))
  const many = Array.from({ length: 16 }, (_, n) => ({ n, weight: 1000 }))
  assert.equal(new Set(orderTargets(many, 'run').map(({ n }) => n)).size, 16)
  assert.deepEqual(orderTargets([], 'run'), [])
})

test('the rules of a route decide about statuses, timeouts and lost connections, never about unusable targets', () => {
  const failure = (reason: FailureReason, upstream?: number) =>
    new GatewayError(502, 'x', 'x', { reason, ...(upstream === undefined ? {} : { upstream }) })
  const usual = retryRulesOf({})
  const retried = [408, 409, 429, 500, 503, 529, 599].map((status) => usual(failure('provider_error', status)))
  assert.ok(retried.every(Boolean))
  for (const status of [400, 404, 413, 422]) assert.equal(usual(failure('request_refused', status)), false)
  for (const reason of ['timeout', 'connection_lost', 'unreadable', 'failed'] as const)
    assert.equal(usual(failure(reason)), true, reason)
  assert.equal(usual(failure('request_refused')), false, 'an adapter refused the request')
  const strict = retryRulesOf({ retryOn: [503] })
  assert.deepEqual(
    [strict(failure('provider_error', 503)), strict(failure('provider_error', 500)), strict(failure('timeout'))],
    [true, false, false],
  )
  assert.equal(strict(failure('connection_lost')), false)
  const none = retryRulesOf({ retryOn: [] })
  for (const reason of ['key_refused', 'connection_refused', 'tls_error', 'secret_missing'] as const)
    assert.equal(none(failure(reason, reason === 'key_refused' ? 401 : undefined)), true, reason)
  assert.equal(none(failure('provider_error', 307)), true, 'a redirect is never followed')
})
