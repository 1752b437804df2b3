import { definePoint } from '#core/jobs/extension-point.ts'
import type { AgentRuns } from './agent-model.ts'
import type { ModelAdapter } from './adapter.ts'

export type { AgentCall, AgentOutcome, AgentRuns } from './agent-model.ts'
export type { ModelAdapter } from './adapter.ts'

/** Adapter for one type of provider (`ModelProvider.spec.type`). */
export const modelAdapter = definePoint<ModelAdapter>('providers.adapter')

/** Runs of agents, for `model: agent/<namespace>/<name>`; contributed by the plugin that owns runs. */
export const agentRuns = definePoint<AgentRuns>('providers.agent-runs')
