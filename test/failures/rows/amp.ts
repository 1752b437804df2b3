import { defineFailures } from './failure.ts'
import type { FailureRow, FailureStage } from './failure.ts'
import { ampPort } from '#plugins/registries/launcher/port.ts'

const request = ({ peer }: FailureStage) => ({ method: 'POST', path: `/amp/${peer}`, body: 'Hello.' }) as const
const failed = { status: 502, code: 'upstream_failure' } as const
const common: Omit<FailureRow, 'dependency'> = {
  request,
  healthy: 200,
  killed: failed,
  frozen: { ...failed, within: 10 },
  slow: { status: 200 },
}

/** Calls of another agent while it, the gateway of its model, a state role or its stores fail. */
export const ampFailures = defineFailures(ampPort, {
  'POST /amp/{agent}': [
    { ...common, dependency: 'state role', note: 'The budget cannot be checked, so that no call is made.' },
    { ...common, dependency: 'PostgreSQL', note: 'The budget cannot be checked, so that no call is made.' },
    {
      ...common,
      dependency: 'Redis',
      killed: { status: 200 },
      frozen: { status: 200 },
      note: 'Accepted envelopes are remembered by the launcher of the called agent.',
    },
    {
      ...common,
      dependency: 'peer',
      frozen: { ...failed, atDeadline: true },
      note: 'A repeat with the same `Idempotency-Key` finds the run of the first call. A new connection is given up after 3 s.',
    },
    {
      ...common,
      dependency: 'state role of the peer',
      note: 'A repeat with the same `Idempotency-Key` finds the run of the first call, or creates it.',
    },
    {
      ...common,
      dependency: 'model gateway',
      frozen: { ...failed, atDeadline: true },
      note: 'The run of the called agent fails; its answer names it.',
    },
  ],
})
