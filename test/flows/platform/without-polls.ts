import { statementsIn } from '#test/harness/statement-count.ts'
import type { StatementCounts } from '#test/harness/statement-count.ts'

/** What an operation takes. Statements include `begin` and `commit`. */
export interface OperationCount {
  readonly statements: number
  readonly transactions: number
  /** By text, as of `StatementCounter.transactions`. */
  readonly found: StatementCounts
}

/**
 * The transactions of the operation that took the fewest statements, of several alike. Polls also run between operations (`idle`): of theirs
 * it takes the fewest of any operation. Some are timed, and an operation on a busy machine takes as long.
 */
export function withoutPolls(operations: readonly StatementCounts[], idle: StatementCounts): OperationCount {
  const own = operations.map((counts) => select(counts, (one) => !(one in idle)))
  const fewest = own.toSorted((a, b) => statementsOf(a) - statementsOf(b))[0] ?? {}
  const shared = Object.keys(idle).filter((one) => !isTimed(one))
  const polled = shared.map((one) => [one, Math.min(...operations.map((counts) => counts[one] ?? 0))] as const)
  const found = select({ ...fewest, ...Object.fromEntries(polled) }, (_one, count) => count > 0)
  const committed = select(found, (one) => one.endsWith('\ncommit'))
  return { statements: statementsOf(found), transactions: statementsIn(committed), found }
}

// Leases, and the queue of tasks, which is read every second: a run enqueues no task.
function isTimed(transaction: string): boolean {
  return transaction.includes('update leader l set expires_at') || transaction.includes('with recursive capacity as')
}

function statementsOf(transactions: StatementCounts): number {
  return Object.entries(transactions).reduce((total, [texts, count]) => total + texts.split('\n').length * count, 0)
}

function select(counts: StatementCounts, isWanted: (text: string, count: number) => boolean): StatementCounts {
  return Object.fromEntries(Object.entries(counts).filter(([text, count]) => isWanted(text, count)))
}
