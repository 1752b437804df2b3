import assert from 'node:assert/strict'
import test from 'node:test'
import { toTypebox } from '#core/http/endpoint/state-route.ts'
import { checkOf } from '#core/validation/validate.ts'
import { createChildRun } from './wire.ts'

test('a child run that a pod asks for is refused at the field that is wrong', () => {
  const check = checkOf(toTypebox(createChildRun.request))
  const good = { agent: { namespace: 'team', name: 'bot.v2' }, input: 'x', mode: 'spawn', maxDepth: 3 }
  assert.deepEqual(check(good), [])
  assert.deepEqual(
    check({ ...good, conversationId: 'c-1', deadline: '2026-11-28T12:00:00.000Z', parentRunId: 'r' }),
    [],
  )
  const agent = (some: object) => ({ ...good, agent: { ...good.agent, ...some } })
  for (const [body, pointer] of [
    [agent({ namespace: 'Team' }), '/agent/namespace'],
    [agent({ namespace: 'a'.repeat(64) }), '/agent/namespace'],
    [agent({ namespace: 'a.b' }), '/agent/namespace'],
    [agent({ name: 'a\0' }), '/agent/name'],
    [agent({ name: '\ud800' }), '/agent/name'],
    [agent({ name: '../x' }), '/agent/name'],
    [agent({ name: 'a..b' }), '/agent/name'],
    [agent({ name: 'a.-b' }), '/agent/name'],
    [{ ...good, mode: 'all' }, '/mode'],
    [{ ...good, maxDepth: 1.5 }, '/maxDepth'],
    [{ ...good, maxDepth: 1e300 }, '/maxDepth'],
    [{ ...good, maxDepth: '3' }, '/maxDepth'],
    [{ ...good, conversationId: '-x' }, '/conversationId'],
    [{ ...good, deadline: '0000-01-01T00:00:00Z' }, '/deadline'],
    [{ ...good, deadline: '1969-12-31T23:59:59Z' }, '/deadline'],
    [{ ...good, deadline: '+020000-01-01T00:00:00Z' }, '/deadline'],
    [{ ...good, more: 1 }, '/more'],
    [{ ...good, parentRunId: 7 }, '/parentRunId'],
  ] as const)
    assert.deepEqual([...new Set(check(body).map((error) => error.pointer))], [pointer], JSON.stringify(body))
})
