import { defineFailures } from './failure.ts'
import type { FailureRow, FailureStage } from './failure.ts'
import { delegatePort } from '#plugins/runs/launcher/port.ts'

const request = ({ peer }: FailureStage) =>
  ({ method: 'POST', path: '/delegate', body: { agent: peer, input: 'Hello.', wait: false } }) as const
const failed = { status: 502, code: 'delegation_failed' } as const
const through: Omit<FailureRow, 'dependency'> = {
  request,
  healthy: 202,
  killed: failed,
  frozen: { ...failed, within: 30 },
  slow: { status: 202 },
  note: 'The child run was created once or not at all.',
}

/** Delegation while the state role or its store fails. */
export const delegateFailures = defineFailures(delegatePort, {
  'POST /delegate': [
    { ...through, dependency: 'state role' },
    { ...through, dependency: 'PostgreSQL' },
  ],
})
