import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Migration } from './migration.ts'

/** The prefix of the tables of a plugin from elsewhere: `x_<name>_`. */
export function prefixOfThirdParty(plugin: string): string {
  return `x_${plugin.replaceAll('-', '_')}_`
}

/** Runs a step; one that made, renamed or dropped a table outside its prefix is refused, and its transaction with it. */
export async function withinPrefix(
  tx: Transaction<unknown>,
  { source, name, tablePrefix }: Migration,
  up: () => Promise<void>,
): Promise<void> {
  if (tablePrefix === undefined) return up()
  const before = await readRelations(tx)
  await up()
  const after = await readRelations(tx)
  const changed = [...differing(after, before), ...differing(before, after)]
  const foreign = new Set(changed.filter((table) => !table.startsWith(tablePrefix)))
  if (foreign.size === 0) return
  throw new Error(
    `plugin ${source}: the migration ${name} makes or changes ${[...foreign].join(', ')}; tables of this plugin must be named ${tablePrefix}...`,
  )
}

// Whatever can be queried by its name. What the catalog says, not what a migration's text says: it may have made the name at run time.
async function readRelations(tx: Transaction<unknown>): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ oid: string; name: string }>`
    select c.oid::text as oid, c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relpersistence <> 't'
      and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`.execute(tx)
  return new Map(rows.map(({ oid, name }) => [oid, name]))
}

function differing(some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): string[] {
  return [...some].flatMap(([oid, name]) => (others.get(oid) === name ? [] : [name]))
}
