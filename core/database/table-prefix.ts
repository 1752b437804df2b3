import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Migration } from './migration.ts'

/** Table prefix of a third-party plugin: `x_<name>_`. */
export function prefixOfThirdParty(plugin: string): string {
  return `x_${plugin.replaceAll('-', '_')}_`
}

/** Runs a migration. If it creates, renames or drops a table outside its prefix, it is refused and rolled back. */
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

// Every relation that can be queried by name. Read from the catalog, since a migration may build names at run time.
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
