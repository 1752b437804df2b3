import { isObject } from '#core/json/is-object.ts'
import type { Identity } from './contract/identity.ts'
import { createGuardSource } from './model-calls/guard-source.ts'
import { createHolds } from './model-calls/holds/holds.ts'
import { createModelCalls } from './model-calls/model-calls.ts'
import type { ModelCallsOptions } from './model-calls/model-calls.ts'
import type { ModelCalls } from './contract/calls/model-call.ts'
import { ConfigError } from './contract/settings/agent-config.ts'
import type { Settings } from './contract/settings/settings.ts'
import { createStateClient } from './contract/state/state-client.ts'

type Parts = Pick<ModelCallsOptions, 'dispatcher' | 'log' | 'countFindings'> & {
  /** Whether no run is above this one. */
  readonly isRoot: (runId: string) => boolean
  readonly identity: Identity | undefined
}

/** Model calls of a budgeted agent; undefined: its calls go to the gateway directly. */
export function createModelCallsOf(
  settings: Settings,
  { dispatcher, log, countFindings, isRoot, identity }: Parts,
): ModelCalls | undefined {
  const { modelProxy, gatewayUrl, gatewayTokenFile, stateUrl, stateTokenFile: tokenFile, agent } = settings
  if (!modelProxy || gatewayUrl === undefined) return undefined
  // A plugin that keeps money sets it.
  const money = Object.values(agent.plugins).map((part) => (isObject(part) ? part.money : undefined))
  const hasMoney = money.includes(true) || money.includes('inherited')
  const isGuarded = hasGuardrails(settings)
  if ((hasMoney || isGuarded) && stateUrl === undefined)
    throw new ConfigError('STATE_URL: is missing, and the agent has a budget or guardrails')
  const state = stateUrl === undefined ? undefined : createStateClient({ stateUrl, tokenFile, dispatcher })
  return createModelCalls({
    gatewayUrl,
    gatewayTokenFile,
    namespace: agent.namespace,
    dispatcher,
    timeouts: settings.gatewayTimeouts,
    holds: hasMoney && state !== undefined ? createHolds({ state, log }) : undefined,
    // Only the agents above have limits: nothing is held in a run that has none.
    isHeld: (runId) => money.includes(true) || runId === undefined || !isRoot(runId),
    guards:
      isGuarded && state !== undefined
        ? createGuardSource({ state, signer: () => identity?.signer(), agentUid: agent.uid, log })
        : undefined,
    countFindings,
    log,
  })
}

/** Whether guardrail policies apply to the model calls of the agent. */
export function hasGuardrails({ agent }: Pick<Settings, 'agent'>): boolean {
  const { guardrails } = agent.plugins
  return isObject(guardrails) && guardrails.enabled === true
}
