import { isObject } from '#core/json/is-object.ts'
import { ConfigError } from '#launcher/contract/settings/agent-config.ts'
import { defineService } from '#launcher/contract/service.ts'
import { createStateClient } from '#launcher/contract/state/state-client.ts'
import { createHoldClient } from './holds.ts'
import { createPayment } from './payment.ts'

/** Holds of money for the model calls of the agent, if a limit applies to it or to the agents above. */
export const budgetsService = defineService({
  payment({ settings, log, dispatcher, isRoot }) {
    const { agent, stateUrl, stateTokenFile: tokenFile } = settings
    // Each plugin with limits says so: of the agent itself, or only of those above.
    const money = Object.values(agent.plugins).map((part) => (isObject(part) ? part.money : undefined))
    const isLimited = money.includes(true)
    if (!isLimited && !money.includes('inherited')) return undefined
    if (stateUrl === undefined) throw new ConfigError('STATE_URL: is missing, and the agent has a budget')
    const holds = createHoldClient({ state: createStateClient({ stateUrl, tokenFile, dispatcher }), log })
    // Nothing is held in a run that has none above.
    return createPayment(holds, (runId) => isLimited || runId === undefined || !isRoot(runId))
  },
})
