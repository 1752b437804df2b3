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
 * What at least three of four operations alike take, without transactions that also run between operations (`idle`) or at intervals. A batch counts once: a busy
 * machine divides batches of the relay and of consumers, or lets one serve two operations.
 */
export function withoutPolls(given: readonly StatementCounts[], idle: StatementCounts): OperationCount {
  const operations = given.map((counts) => Object.fromEntries(Object.entries(counts).map(withCommonEnd)))
  const texts = [...new Set(operations.flatMap((counts) => Object.keys(counts)))]
  const usual = texts.map((one) => [one, usualCount(operations, one)] as const)
  const found = select(Object.fromEntries(usual), (one, count) => count > 0 && !(one in idle) && !isTimed(one))
  const committed = select(found, (one) => one.endsWith('\ncommit'))
  return { statements: statementsOf(found), transactions: statementsIn(committed), found }
}

function usualCount(operations: readonly StatementCounts[], transaction: string): number {
  const counts = operations.map((one) => one[transaction] ?? 0).toSorted((a, b) => a - b)
  // A busy machine lets a wake-up find what another one has begun to read, in every second operation or so.
  const usual = counts[Math.floor((counts.length - 1) / 4)] ?? 0
  return isBatch(transaction) ? Math.min(usual, 1) : usual
}

// Reads of the log and claims of its events, by the relay and by consumers, places of the relay, and notifications of commits.
const batches = [
  'claim_events(',
  'select pg_notify(',
  'select * from "events" where "position" >',
  'insert into "cursor"',
]

function isBatch(transaction: string): boolean {
  return batches.some((text) => transaction.includes(text))
}

// Columns of the run that its last append sets depend on what was appended before.
function withCommonEnd([transaction, count]: [string, number]): readonly [string, number] {
  if (!/tries = 0, state = /.test(transaction)) return [transaction, count]
  const lines = transaction.split('\n').map((line) => line.replace(/^(with lease|update "runs_runs") .*/, '$1'))
  return [lines.join('\n'), count]
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

// Entries of a run that goes on. On a quiet machine they are part of its last append.
const earlierEntries = /launcher_n = \$\d+, tries = 0 where/

function isTimed(transaction: string): boolean {
  return earlierEntries.test(transaction) || timed.some((text) => transaction.includes(text))
}

function statementsOf(transactions: StatementCounts): number {
  return Object.entries(transactions).reduce((total, [texts, count]) => total + texts.split('\n').length * count, 0)
}

function select(counts: StatementCounts, isWanted: (text: string, count: number) => boolean): StatementCounts {
  return Object.fromEntries(Object.entries(counts).filter(([text, count]) => isWanted(text, count)))
}
