import type { GatewayCall } from '../request/gateway-call.ts'
import type { UsableRoute } from '../route/usable-route.ts'
import { retryRulesOf } from './retry-rules.ts'
import type { ForwardOptions } from './try-in-order.ts'

/** What caller and route say about the attempts of a call. */
export function forwardingOf(
  { signal, deadlineAt }: GatewayCall,
  { spec }: UsableRoute,
): Pick<ForwardOptions, 'signal' | 'deadlineAt' | 'mayRetry'> {
  return { signal, deadlineAt, mayRetry: retryRulesOf(spec) }
}
