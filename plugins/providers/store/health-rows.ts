import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { ProviderHealthTable, ProvidersTables } from '../contract/tables.ts'
import { addAttempts, unseen } from '../health/attempts.ts'
import type { MeteredAttempt, SeenAttempt, SeenProvider } from '../health/attempts.ts'

type Db = Kysely<ProvidersTables>

/** Adds attempts to the rows of their providers, in the order of their names. */
export async function recordAttempts(db: Db, attempts: readonly MeteredAttempt[]): Promise<void> {
  const byProvider = Map.groupBy(attempts, ({ provider }) => provider)
  const names = [...byProvider.keys()].toSorted()
  if (names.length === 0) return
  const rows = await lockRows(db, names)
  const changed = names.map((provider) =>
    toRow(provider, addAttempts(rows.get(provider) ?? unseen, byProvider.get(provider) ?? [])),
  )
  await sql`insert into ${sql.table('providers_health')} (namespace, name, attempts, last_success_at, last_error_at, last_error_class)
    select namespace, name, attempts, last_success_at, last_error_at, last_error_class
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as given(namespace text, name text, attempts jsonb,
      last_success_at timestamptz, last_error_at timestamptz, last_error_class text)
    on conflict (namespace, name) do update set attempts = excluded.attempts, last_success_at = excluded.last_success_at,
      last_error_at = excluded.last_error_at, last_error_class = excluded.last_error_class`.execute(db)
}

/** Removes what was seen of a provider. */
export async function forgetProvider(db: Db, namespace: string, name: string): Promise<void> {
  await db.deleteFrom('providers_health').where('namespace', '=', namespace).where('name', '=', name).execute()
}

/** What was seen of providers, by `namespace/name`. */
export async function readSeen(
  db: Reader<ProvidersTables>,
  names: readonly string[],
): Promise<ReadonlyMap<string, SeenProvider>> {
  if (names.length === 0) return new Map()
  return byName(await selectRows(db, names).execute())
}

async function lockRows(db: Db, names: readonly string[]): Promise<ReadonlyMap<string, SeenProvider>> {
  return byName(await selectRows(db, names).orderBy('namespace').orderBy('name').forUpdate().execute())
}

function selectRows(db: Reader<ProvidersTables>, names: readonly string[]) {
  return db
    .selectFrom('providers_health')
    .selectAll()
    .where(sql<string>`namespace || '/' || name`, 'in', [...names])
}

function byName(rows: readonly Selectable<ProviderHealthTable>[]): ReadonlyMap<string, SeenProvider> {
  return new Map(rows.map((row) => [`${row.namespace}/${row.name}`, toSeen(row)]))
}

function toSeen(row: Selectable<ProviderHealthTable>): SeenProvider {
  return {
    attempts: row.attempts as readonly SeenAttempt[],
    lastSuccessAt: row.last_success_at?.getTime(),
    lastErrorAt: row.last_error_at?.getTime(),
    lastErrorClass: row.last_error_class ?? undefined,
  }
}

function toRow(provider: string, { attempts, lastSuccessAt, lastErrorAt, lastErrorClass }: SeenProvider) {
  const slash = provider.indexOf('/')
  return {
    namespace: provider.slice(0, slash),
    name: provider.slice(slash + 1),
    attempts,
    last_success_at: lastSuccessAt === undefined ? null : new Date(lastSuccessAt).toISOString(),
    last_error_at: lastErrorAt === undefined ? null : new Date(lastErrorAt).toISOString(),
    last_error_class: lastErrorClass ?? null,
  }
}
