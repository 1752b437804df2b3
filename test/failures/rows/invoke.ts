import { defineFailures } from './failure.ts'
import type { FailureRow, FailureStage } from './failure.ts'
import { invokePort } from '#launcher/listeners/invoke/port.ts'

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
const noCertificate = { status: 503, code: 'no_certificate' } as const
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
  'GET /healthz': [
    {
      dependency: 'state role',
      request: { method: 'GET', path: '/healthz' },
      healthy: 200,
      killed: { status: 200 },
      frozen: { status: 200 },
      slow: { status: 200 },
      note: 'A certificate is renewed after 7.5 minutes. Runs start and continue until it expires, 15 minutes after it was issued.',
    },
  ],
  'GET /healthz, of a launcher that starts': [
    {
      dependency: 'state role',
      request: { method: 'GET', path: '/healthz' },
      starts: true,
      healthy: 200,
      killed: noCertificate,
      frozen: noCertificate,
      slow: { status: 200, onceNoticed: true },
      note: 'The pod is not ready until the state role has certified its launcher, which logs why.',
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
