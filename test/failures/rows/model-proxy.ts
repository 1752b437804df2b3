import { defineFailures } from './failure.ts'
import type { FailureRow, FailureStage } from './failure.ts'
import { recordedFailures } from './recorded-failures.ts'
import { modelProxyPort } from '#plugins/providers/launcher/port.ts'

const messages = [{ role: 'user', content: 'Hello.' }]
const request = ({ model }: FailureStage) =>
  ({ method: 'POST', path: '/v1/chat/completions', body: { model, messages } }) as const
const noHold = { status: 503, code: 'budget_unavailable' } as const
const money: Omit<FailureRow, 'dependency'> = {
  request,
  healthy: 200,
  killed: noHold,
  frozen: { ...noHold, within: 10 },
  slow: { status: 200 },
  note: 'No call is made without a hold. A hold whose answer was lost is charged at the end of its lease.',
}
const done = { status: 200 } as const
const ofRecordedRun = async (stage: FailureStage) => ({ ...request(stage), headers: await stage.recordedRun() })
const unaffected: Omit<FailureRow, 'dependency'> = {
  request,
  healthy: 200,
  killed: done,
  frozen: done,
  slow: done,
  note: 'Budgets and quotas are in PostgreSQL only.',
}
const noGateway = { status: 502, code: 'gateway_unavailable' } as const

/** Model calls within a budget while the state role, its stores or the gateway fails. */
export const modelProxyFailures = defineFailures(modelProxyPort, {
  'POST /v1/chat/completions': [
    { ...money, dependency: 'state role' },
    { ...money, dependency: 'PostgreSQL' },
    { ...unaffected, dependency: 'Redis' },
    {
      dependency: 'model gateway',
      request,
      healthy: 200,
      killed: noGateway,
      frozen: { status: 504, code: 'gateway_timeout', within: 600 },
      slow: { status: 200 },
      note: 'The hold is charged if the request may have reached the gateway, else released.',
    },
  ],
  'POST /v1/chat/completions, recorded': [{ ...recordedFailures, request: ofRecordedRun }],
})
