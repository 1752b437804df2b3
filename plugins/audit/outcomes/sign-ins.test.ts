import assert from 'node:assert/strict'
import type { Outcome } from '#core/http/endpoint/extension-points.ts'
import { check, traceparent } from '../testing/rig.ts'
import { createOutcomes } from './outcomes.ts'

const id = '0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a0a'

function act(action: string, more: Partial<Outcome>): Outcome {
  return {
    actor: 'ada@example.com',
    action,
    resourceKind: 'Session',
    namespace: undefined,
    name: id,
    outcome: 'success',
    traceparent,
    ...more,
  }
}

check(
  'sign-ins and ends of sessions are rows; refused sign-ins of a minute are one row for each reason',
  async (rig) => {
    const outcomes = createOutcomes({ ...rig.core, now: () => new Date('2026-11-20T08:00:10Z') })
    const refused = { actor: undefined, name: undefined, outcome: 'denied' } as const
    outcomes.record(act('sign-in', { way: 'oidc' }))
    outcomes.record(act('sign-out-everywhere', {}))
    outcomes.record(act('switch-persona', { persona: 'viewer' }))
    for (const count of [1, 4_000])
      outcomes.record(act('sign-in', { ...refused, way: 'token', code: 'unauthenticated', count }))
    outcomes.record(act('sign-in', { ...refused, way: 'code', code: 'not_found', count: 1 }))
    await outcomes.close()
    await rig.settle()
    const rows = (await rig.rows()).map((row) => [row.actor, row.actor_exact, row.action, row.outcome, row.detail])
    const ada = 'ada@example.com'
    assert.deepEqual(
      rows.toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other))),
      [
        [ada, true, 'sign-in', 'success', { way: 'oidc' }],
        [ada, true, 'sign-out-everywhere', 'success', {}],
        [ada, true, 'switch-persona', 'success', { persona: 'viewer' }],
        ['unknown', false, 'sign-in', 'denied', { code: 'not_found', count: 1, way: 'code' }],
        ['unknown', false, 'sign-in', 'denied', { code: 'unauthenticated', count: 4_001, way: 'token' }],
      ],
    )
    const names = new Set((await rig.rows()).map((row) => `${row.resource_kind}/${row.resource_name}/${row.namespace}`))
    assert.deepEqual([...names].toSorted(), ['Session//', `Session/${id}/`])
  },
)
