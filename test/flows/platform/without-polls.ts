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
 * What most of several operations alike take, without transactions that also run between operations (`idle`) or at intervals. A batch counts once: a busy
 * machine divides batches of the relay and of consumers, or lets one serve two operations.
 */
export function withoutPolls(operations: readonly StatementCounts[], idle: StatementCounts): OperationCount {
  const texts = [...new Set(operations.flatMap((counts) => Object.keys(counts)))]
  const usual = texts.map((one) => [one, usualCount(operations, one)] as const)
  const found = select(Object.fromEntries(usual), (one, count) => count > 0 && !(one in idle) && !isTimed(one))
  const committed = select(found, (one) => one.endsWith('\ncommit'))
  return { statements: statementsOf(found), transactions: statementsIn(committed), found }
}

function usualCount(operations: readonly StatementCounts[], transaction: string): number {
  const counts = operations.map((one) => one[transaction] ?? 0).toSorted((a, b) => a - b)
  const median = counts[Math.floor((counts.length - 1) / 2)] ?? 0
  return isBatch(transaction) ? Math.min(median, 1) : median
}

// Reads of the log and claims of its events, by the relay and by consumers.
function isBatch(transaction: string): boolean {
  return transaction.includes('claim_events(') || transaction.startsWith('select * from "events" where "position" >')
}

const timed = [
  'update leader l set expires_at',
  'insert into "providers_health"',
  // Statistics of runs (ADR 0263).
  'select runs_count(',
  // Read again when its time in a cache has ended.
  'from "tenants_quotas"',
  // The lease of a run that takes long.
  'update runs_lease set expires_at',
  // The queue of tasks, which is read every second: a run enqueues no task.
  'with recursive capacity as',
  // The inbox of a consumer without order.
  'delete from "inbox"',
  // Places of watches.
  'insert into resume_versions',
]

function isTimed(transaction: string): boolean {
  return timed.some((text) => transaction.includes(text))
}

function statementsOf(transactions: StatementCounts): number {
  return Object.entries(transactions).reduce((total, [texts, count]) => total + texts.split('\n').length * count, 0)
}

function select(counts: StatementCounts, isWanted: (text: string, count: number) => boolean): StatementCounts {
  return Object.fromEntries(Object.entries(counts).filter(([text, count]) => isWanted(text, count)))
}
