import type { Pruner } from '#plugins/pruning/contract/points.ts'
import { ownerOf } from '../limits/owner.ts'
import type { BudgetsTables } from '../contract/tables.ts'

/** Removes the counters of a deleted agent or tenant. Its open holds end like any other, and count for the remaining limits. */
export const accountPruner: Pruner = {
  name: 'budgets',
  kinds: ['AgentDeployment', 'Tenant'],
  async prune(tx, { kind, uid }, limit) {
    if (kind !== 'AgentDeployment' && kind !== 'Tenant') return 0
    const owner = ownerOf({ kind, uid })
    const db = tx.tables<BudgetsTables>()
    const { numDeletedRows } = await db
      .deleteFrom('budgets_accounts')
      .where('id', 'in', (eb) => eb.selectFrom('budgets_accounts').select('id').where('owner', '=', owner).limit(limit))
      .executeTakeFirstOrThrow()
    await db.deleteFrom('budgets_rates').where('owner', '=', owner).execute()
    return Number(numDeletedRows)
  },
}
