import { remaining } from '#plugins/budgets/contract/wire.ts'
import type { Envelope } from '#schemas/launcher/envelope.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { callState } from '#launcher/contract/state/call-state.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'

/** Returns the remaining budget of a run, or of the agent itself; null: no budget applies. Throws `budget_exceeded`. */
export type BudgetGuard = (runId: string | undefined) => Promise<Envelope['budget']>

/**
 * Reads the ledger before each call. The called run is charged to the same budgets, so no money is reserved here. Without a response the call is
 * refused: budgets fail closed.
 */
export function createBudgetGuard(state: StateClient): BudgetGuard {
  return async (runId) => {
    const response = await callState(state, remaining, { query: { runId } }).catch(() => undefined)
    // The plugin of budgets is not available, or has no limit.
    if (response?.status === 404) return null
    if (response?.value === undefined) throw new Refusal('upstream_failure', 'The budget cannot be checked.')
    const { budget } = response.value
    if (budget !== null && Number(budget.remaining) <= 0) throw new Refusal('budget_exceeded')
    return budget
  }
}
