import type { Dispatcher } from 'undici'
import { isObject } from '#core/json/is-object.ts'
import type { Logger } from '#core/log/logger.ts'
import { createHolds } from './model-calls/holds.ts'
import { createModelCalls } from './model-calls/model-calls.ts'
import type { ModelCalls } from './model-calls/model-calls.ts'
import { ConfigError } from './settings/agent-config.ts'
import type { Settings } from './settings/settings.ts'
import { createStateClient } from './state/state-client.ts'

/** Model calls of a budgeted agent; undefined: its calls go to the gateway directly. */
export function createModelCallsOf(
  settings: Settings,
  dispatcher: () => Promise<Dispatcher>,
  log: Logger,
): ModelCalls | undefined {
  const { modelProxy, gatewayUrl, gatewayTokenFile, stateUrl, stateTokenFile: tokenFile, agent } = settings
  if (!modelProxy || gatewayUrl === undefined) return undefined
  // A plugin that keeps money sets it.
  const hasMoney = Object.values(agent.plugins).some((part) => isObject(part) && part.money === true)
  if (hasMoney && stateUrl === undefined) throw new ConfigError('STATE_URL: is missing, and the agent has a budget')
  const state = stateUrl === undefined ? undefined : createStateClient({ stateUrl, tokenFile, dispatcher })
  return createModelCalls({
    gatewayUrl,
    gatewayTokenFile,
    namespace: agent.namespace,
    dispatcher,
    holds: hasMoney && state !== undefined ? createHolds({ state, log }) : undefined,
    log,
  })
}
