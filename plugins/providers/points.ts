import { definePoint } from '#core/jobs/extension-point.ts'
import type { AgentRuns } from './agent-model.ts'
import type { ModelAdapter } from './adapter.ts'
import type { ModelFilter } from './filters/model-filter.ts'

export type { AgentCall, AgentOutcome, AgentRuns } from './agent-model.ts'
export type { ModelAdapter } from './adapter.ts'
export type {
  CallFilter,
  FilterContext,
  FilteredCall,
  ModelFilter,
  FilterRefusal,
  ModelRequest,
  Replacement,
  RequestText,
  TextFilter,
  TextWindow,
  ToolCall,
  Verdict,
} from './filters/model-filter.ts'

/** Adapter for one type of provider (`ModelProvider.spec.type`). */
export const modelAdapter = definePoint<ModelAdapter>('providers.adapter')

/** Runs of agents, for `model: agent/<namespace>/<name>`; contributed by the plugin that owns runs. */
export const agentRuns = definePoint<AgentRuns>('providers.agent-runs')

/** Filters of model calls: each sees requests and answers of the calls that it applies to. */
export const modelFilter = definePoint<ModelFilter>('providers.filter', ({ name }) => name)
