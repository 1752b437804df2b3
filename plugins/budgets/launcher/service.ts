import { isObject } from '#core/json/is-object.ts'
import { defineService } from '#launcher/contract/service.ts'
import { createHoldClient } from './holds.ts'
import { createPayment } from './payment.ts'

/** Holds of money for the model calls of the agent, if a limit applies to it or to the agents above. */
export const budgetsService = defineService({
  payment({ settings: { agent }, log, state, isRoot }) {
    // Each plugin with limits declares whether they apply to the agent itself or only to agents above.
    const money = Object.values(agent.plugins).map((part) => (isObject(part) ? part.money : undefined))
    const isLimited = money.includes(true)
    if (!isLimited && !money.includes('inherited')) return undefined
    const holds = createHoldClient({ state: state('the agent has a budget'), log })
    // Nothing is held in a run without agents above.
    return createPayment(holds, (runId) => isLimited || runId === undefined || !isRoot(runId))
  },
})
