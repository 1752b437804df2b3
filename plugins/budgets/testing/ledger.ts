import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { createLedger } from '../store/ledger.ts'
import type { LedgerOptions } from '../store/ledger.ts'
import type { NewHold } from '../store/reserve.ts'
import type { CallLimit } from '../contract/points.ts'

/** Migrations of the plugin. */
export const budgetsMigrations = { name: 'budgets', migrations: new URL('../migrations/', import.meta.url) }

/** A ledger on a migrated database. */
export async function openLedger(
  t: TestContext,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
  some: Partial<LedgerOptions> = {},
) {
  const database = await open(t, [budgetsMigrations])
  const store = createStore(database, { projections: [] })
  const ledger = createLedger(store, { leaseSeconds: 60, retentionDays: 30, ...some })
  return { database, store, ledger, accounts: () => readAccounts(database) }
}

/** A hold of the test agent; `some` replaces defaults. */
export function newHold(some: Partial<NewHold> = {}): NewHold {
  return {
    id: randomUUID(),
    holder: 'holder-1',
    requestKey: randomUUID(),
    agentUid: 'agent-1',
    runId: null,
    route: 'demo/mock',
    amount: 100n,
    currency: 'USD',
    maxOutputTokens: 10,
    prices: [],
    leaseSeconds: 60,
    limits: [moneyLimit('1', 1_000n)],
    ...some,
  }
}

/** The agent or tenant with a uid. */
export function subjectOf(kind: 'AgentDeployment' | 'Tenant', uid: string): CallLimit['subject'] {
  return { kind, name: `name-${uid}`, uid, ...(kind === 'Tenant' ? {} : { namespace: 'demo' }) }
}

/** A limit of money without a window, of an agent or a tenant. */
export function moneyLimit(
  uid: string,
  amount: bigint,
  kind: 'AgentDeployment' | 'Tenant' = 'AgentDeployment',
): CallLimit {
  return { subject: subjectOf(kind, uid), spend: { amount, currency: 'USD', window: 'total' } }
}

/** Money by owner. */
export async function readAccounts(database: Database) {
  const { rows } = await sql<{ owner: string; spent: bigint; held: bigint; overrun: bigint }>`
    select owner, spent, held, overrun from budgets_accounts order by id`.execute(database.root)
  return Object.fromEntries(rows.map(({ owner, spent, held, overrun }) => [owner, { spent, held, overrun }]))
}
