import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { mayDelegate } from '#schemas/names/delegates.ts'
import type { AgentName } from '#schemas/names/delegates.ts'
import { runErrors } from '../contract/errors.ts'

/**
 * Throws `delegate_not_allowed` unless the spec of the calling agent allows the target (PODS7, ADR 0022). The spec in the cluster decides, as it was
 * read for this call (ADR 0246), not the launcher or the running revision.
 */
export function checkDelegate({ namespace, spec }: Pick<CallingAgent, 'namespace' | 'spec'>, target: AgentName): void {
  if (mayDelegate({ namespace, delegates: spec.delegates }, target)) return
  throw new Fail(
    runErrors.delegate_not_allowed,
    `${target.namespace}/${target.name} is not among the delegates of the agent.`,
  )
}
