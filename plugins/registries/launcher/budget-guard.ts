import { isObject } from '#core/json/is-object.ts'
import type { Envelope } from '#schemas/launcher/envelope.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'

/** What is left of the budgets that apply to a run, or to the agent itself; null: none applies. Throws `budget_exceeded`. */
export type BudgetGuard = (runId: string | undefined) => Promise<Envelope['budget']>

/**
 * Asks the ledger before each call. The called run is charged to the same budgets, so that no money is reserved here. Without an answer the
 * call is not made: money fails closed.
 */
export function createBudgetGuard(state: StateClient): BudgetGuard {
  return async (runId) => {
    const query = runId === undefined ? '' : `?runId=${encodeURIComponent(runId)}`
    const answer = await state({ method: 'GET', path: `/budgets/remaining${query}` }).catch(() => undefined)
    // The plugin of budgets is not available, or knows no limit.
    if (answer?.status === 404) return null
    if (answer?.status !== 200) throw new Refusal('upstream_failure', 'The budget cannot be checked.')
    const { budget } = answer.body
    if (!isObject(budget) || typeof budget.remaining !== 'string' || typeof budget.currency !== 'string') return null
    if (Number(budget.remaining) <= 0) throw new Refusal('budget_exceeded')
    return { remaining: budget.remaining, currency: budget.currency }
  }
}
