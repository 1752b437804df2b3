import { defineFailures } from '../failure.ts'
import type { FailureRow, FailureStage } from '../failure.ts'
import { invokePort } from './port.ts'

const request = async ({ newRun }: FailureStage) =>
  ({ method: 'POST', path: '/invoke', body: { input: {} }, headers: await newRun() }) as const
const accepted = { status: 202 } as const
const unchanged: Omit<FailureRow, 'dependency'> = {
  request,
  healthy: 202,
  killed: accepted,
  frozen: accepted,
  slow: accepted,
}
const noKeys = { status: 503, code: 'keys_unavailable' } as const

/** Runs while the state role, its store, the collector or the agent fails. */
export const invokeFailures = defineFailures(invokePort, {
  'POST /invoke': [
    { ...unchanged, dependency: 'state role', note: 'The key set is kept until the state role answers again.' },
    { ...unchanged, dependency: 'PostgreSQL' },
    { ...unchanged, dependency: 'collector', note: 'Spans are dropped and counted.' },
  ],
  'POST /invoke, the first of a launcher': [
    {
      ...unchanged,
      dependency: 'state role',
      fresh: true,
      killed: noKeys,
      frozen: { ...noKeys, within: 5 },
      note: 'The worker keeps the run queued.',
    },
  ],
  'POST /invoke, agent in its own container': [
    {
      ...unchanged,
      dependency: 'agent',
      container: true,
      killed: { status: 503, code: 'agent_not_ready', onceNoticed: true },
      frozen: { ...accepted, run: 'timed_out' },
      slow: { ...accepted, run: 'succeeded' },
      note: 'Runs start again when the restarted agent answers. One that was accepted before the end was noticed waits for it.',
    },
  ],
})
