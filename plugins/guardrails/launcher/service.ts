import { isObject } from '#core/json/is-object.ts'
import { ConfigError } from '#launcher/contract/settings/agent-config.ts'
import { defineService } from '#launcher/contract/service.ts'
import { createStateClient } from '#launcher/contract/state/state-client.ts'
import { createGuardSource } from './guard-source.ts'
import { createModelFilter } from './model-filter.ts'

/** Guardrail policies on the model calls of the agent, if its configuration has them. */
export const guardrailsService = defineService({
  filter({ settings, log, dispatcher, identity, countFindings }) {
    const { agent, stateUrl, stateTokenFile: tokenFile } = settings
    const { guardrails } = agent.plugins
    if (!isObject(guardrails) || guardrails.enabled !== true) return undefined
    if (stateUrl === undefined) throw new ConfigError('STATE_URL: is missing, and the agent has guardrails')
    const state = createStateClient({ stateUrl, tokenFile, dispatcher })
    const source = createGuardSource({ state, signer: () => identity?.signer(), agentUid: agent.uid, log })
    return createModelFilter(source, countFindings)
  },
})
