import { isObject } from '#core/json/is-object.ts'
import { defineService } from '#launcher/contract/service.ts'
import { createGuardSource } from './guard-source.ts'
import { createModelFilter } from './model-filter.ts'

/** Guardrail policies on the model calls of the agent, if its configuration has them. */
export const guardrailsService = defineService({
  filter({ settings: { agent }, log, state, identity, countFindings }) {
    const { guardrails } = agent.plugins
    if (!isObject(guardrails) || guardrails.enabled !== true) return undefined
    const source = createGuardSource({
      state: state('the agent has guardrails'),
      signer: () => identity?.signer(),
      agentUid: agent.uid,
      log,
    })
    return createModelFilter(source, countFindings)
  },
})
