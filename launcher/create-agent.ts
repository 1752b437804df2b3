import type { Dispatcher } from 'undici'
import { createHttpAgent } from './http-agent/http-agent.ts'
import type { ModelCalls } from './contract/calls/model-call.ts'
import type { Agent } from './runs/run-context.ts'
import { ConfigError } from './contract/settings/agent-config.ts'
import type { Settings } from './contract/settings/settings.ts'
import type { Supervision } from './supervise/supervision.ts'
import { createBuiltInAgent } from './agent/loop.ts'
import type { LoopParts } from './agent/loop.ts'
import { createModelClient } from './agent/model-client.ts'

/** Dependencies of an agent. */
export interface AgentParts {
  readonly settings: Settings
  readonly dispatcher: () => Promise<Dispatcher>
  /** Model calls within a budget; undefined: the gateway is called directly. */
  readonly modelCalls: ModelCalls | undefined
}

/** The agent of the launcher: its own process over HTTP, or the built-in loop with its `parts`. */
export function createAgent(
  { settings, dispatcher, modelCalls }: AgentParts,
  { restart, exited, lost }: Supervision,
  parts: () => LoopParts,
): Agent {
  const { agent: config, gatewayUrl, gatewayTokenFile, agentPort, cancelGraceMs } = settings
  if (!settings.builtIn)
    return createHttpAgent({
      port: agentPort,
      dispatcher,
      cancelGraceMs,
      usageIsMeasured: modelCalls !== undefined,
      ...(restart === undefined ? {} : { restart }),
      ...(exited === undefined ? {} : { exited }),
      ...(lost === undefined ? {} : { lost }),
    })
  if (gatewayUrl === undefined) throw new ConfigError('MODEL_GATEWAY_URL: is missing')
  const model = createModelClient({
    gatewayUrl,
    tokenFile: gatewayTokenFile,
    namespace: config.namespace,
    requestFields: config.model?.requestFields ?? {},
    dispatcher,
    timeouts: settings.gatewayTimeouts,
    modelCalls,
  })
  return createBuiltInAgent({ config, model, parts })
}
