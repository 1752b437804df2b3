import { definePoint } from '#core/jobs/extension-point.ts'
import type { AgentRuns } from './agent-model.ts'
import type { ModelAdapter } from './adapter.ts'
import type { CallPricing } from './call-pricing.ts'
import type { CallPayment } from './call-payment.ts'
import type { ModelFilter } from './model-filter.ts'

export type { AgentCall, AgentOutcome, AgentRuns } from './agent-model.ts'
export type { ModelAdapter } from './adapter.ts'
export type { CallCost, CallPricing, ServedCall } from './call-pricing.ts'
export type {
  CallHold,
  CallPayer,
  CallPayers,
  CallPayment,
  InheritedCall,
  LaunchedCall,
  PayableCall,
  PersonCall,
  RoleCall,
  UsedCall,
} from './call-payment.ts'
export type {
  CallFilter,
  FilterContext,
  FilterDecision,
  FilteredCall,
  ModelFilter,
  FilterRefusal,
  ModelRequest,
  Replacement,
  RequestText,
  RequestVerdict,
  TextFilter,
  TextWindow,
  ToolCall,
  Verdict,
} from './model-filter.ts'

/** Adapter for one type of provider (`ModelProvider.spec.type`). */
export const modelAdapter = definePoint<ModelAdapter>('providers.adapter')

/** Runs of agents, for `model: agent/<namespace>/<name>`; contributed by the plugin that owns runs. */
export const agentRuns = definePoint<AgentRuns>('providers.agent-runs')

/** Filters of model calls: each sees requests and responses of the calls that it applies to. */
export const modelFilter = definePoint<ModelFilter>('providers.filter', ({ name }) => name)

/** Prices of model calls: the first plugin that knows the cost of a call decides. */
export const callPricing = definePoint<CallPricing>('providers.call-pricing', ({ name }) => name)

/** Money of calls at the gateway; contributed once, by the plugin that owns the ledger. */
export const callPayment = definePoint<CallPayment>('providers.call-payment', () => 'ledger')
