import { Fail } from '#core/errors/domain-error.ts'
import { Value } from 'typebox/value'
import type { CallAdmission } from '#plugins/providers/points.ts'
import { budgetErrors } from './errors.ts'
import { HoldId } from './hold-schemas.ts'
import type { LimitSource } from './points.ts'
import type { Ledger } from './store/ledger.ts'

/** Refuses calls of budgeted agents without a live hold for the route: an agent cannot call around its launcher. */
export function createHoldAdmission(
  ledger: Pick<Ledger, 'isLive'>,
  sources: () => readonly LimitSource[],
): CallAdmission {
  const isLimited = async (namespace: string): Promise<boolean> => {
    const limits = await Promise.all(sources().map((source) => source.limitsOf(namespace)))
    return limits.some((some) => some.length > 0)
  }
  return {
    name: 'budgets',
    admit: async ({ agent: { metadata, spec }, route, header }) => {
      if (spec.budget === undefined && !(await isLimited(metadata.namespace ?? ''))) return
      const id = header('x-mesh-hold')
      const hold = id !== undefined && Value.Check(HoldId, id) ? { id, agentUid: metadata.uid ?? '', route } : undefined
      if (hold === undefined || !(await ledger.isLive(hold))) throw new Fail(budgetErrors.hold_required)
    },
  }
}
