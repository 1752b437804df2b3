import { Fail } from '#core/errors/domain-error.ts'
import { Value } from 'typebox/value'
import type { CallAdmission } from '#plugins/providers/contract/points.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { budgetErrors } from '../contract/errors.ts'
import { HoldId } from '../contract/hold-id.ts'
import type { LimitSource } from '../contract/points.ts'
import type { Ledger } from '../store/ledger.ts'

/** Refuses calls of budgeted agents without a live hold for the route: an agent cannot call around its launcher. */
export function createHoldAdmission(
  ledger: Pick<Ledger, 'isLive'>,
  sources: () => readonly LimitSource[],
): CallAdmission {
  return {
    name: 'budgets',
    admit: async ({ agent, route, header }) => {
      if (!(await isLimited(agent, sources))) return
      const { metadata } = agent
      const id = header('x-mesh-hold')
      const hold = id !== undefined && Value.Check(HoldId, id) ? { id, agentUid: metadata.uid ?? '', route } : undefined
      if (hold === undefined || !(await ledger.isLive(hold))) throw new Fail(budgetErrors.hold_required)
    },
  }
}

/** Whether an agent has a budget, or a limit by its namespace. */
export async function isLimited(
  { metadata, spec }: AgentDeploymentObject,
  sources: () => readonly LimitSource[],
): Promise<boolean> {
  if (spec.budget !== undefined) return true
  const limits = await Promise.all(sources().map((source) => source.limitsOf(metadata.namespace ?? '')))
  return limits.some((some) => some.length > 0)
}
