import { Value } from 'typebox/value'
import { Fail } from '#core/errors/domain-error.ts'
import type { CallHold, LaunchedCall } from '#plugins/providers/contract/points.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { budgetErrors } from '../contract/errors.ts'
import { HoldId } from '../contract/hold-id.ts'
import type { LimitSource } from '../contract/points.ts'
import type { TargetPrice } from '../money/price.ts'
import type { Ledger } from '../store/ledger.ts'
import { createCallHold } from './call-hold.ts'

/** Dependencies of `takeOverHold`. */
export interface TakeOverServices {
  readonly ledger: Pick<Ledger, 'claim' | 'end'>
  readonly sources: () => readonly LimitSource[]
}

/**
 * Takes over the hold that the launcher of an agent made for a call, so that the gateway settles it. Undefined without a hold. In this case an agent
 * with a limit is refused: it cannot bypass its launcher, or use a hold twice.
 */
export async function takeOverHold(
  { ledger, sources }: TakeOverServices,
  { agent, route, launcherHold: id }: LaunchedCall,
): Promise<CallHold | undefined> {
  const { uid: agentUid = '' } = agent.metadata
  const isHold = id !== undefined && Value.Check(HoldId, id)
  const claimed = isHold ? await ledger.claim({ id, agentUid, route }) : undefined
  if (claimed !== undefined) {
    const prices = claimed.prices as readonly TargetPrice[]
    return createCallHold(ledger, { ...claimed, prices, maxOutputTokens: Number(claimed.max_output) })
  }
  if (await isLimited(agent, sources)) throw new Fail(budgetErrors.hold_required)
  return undefined
}

// The agent is limited by its own budget, or by its namespace.
async function isLimited(
  { metadata, spec }: AgentDeploymentObject,
  sources: () => readonly LimitSource[],
): Promise<boolean> {
  if (spec.budget !== undefined) return true
  const limits = await Promise.all(sources().map((source) => source.limitsOf(metadata.namespace ?? '')))
  return limits.some((some) => some.length > 0)
}
