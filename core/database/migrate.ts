import { readdir } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { withTables } from './database.ts'
import type { Database } from './database.ts'
import type { Migration, MigrationSource } from './migration.ts'
import { defaultHooks } from '#core/jobs/hook-settings.ts'
import { importWithin, upWithin } from './migration-bounds.ts'
import { withinPrefix } from './table-prefix.ts'

/** The database lacks migrations that this process needs. The role `migrate` applies them. */
export class MigrationsMissing extends Error {
  constructor(names: readonly string[]) {
    super(`migrations missing: ${names.join(', ')}; run the role migrate`)
    this.name = 'MigrationsMissing'
  }
}

/** A newer version applied a breaking migration that this version does not know. */
export class NewerDatabase extends Error {
  constructor(names: readonly string[]) {
    super(
      `migrations: a newer version has changed the database so that this version cannot run on it (${names.join(', ')}); run the newer version, or restore a backup made before the upgrade`,
    )
    this.name = 'NewerDatabase'
  }
}

interface MigrationTables {
  mesh_migrations: { source: string; name: string; breaking: boolean }
}

type Applied = MigrationTables['mesh_migrations']

const migrationLock = 7_305_002

/**
 * Applies missing migrations in the order of the sources. Processes that start together wait for each other. Returns the applied names.
 * `hookSeconds` bounds the code of a migration, not its statements.
 */
export async function migrate(
  database: Database,
  sources: readonly MigrationSource[],
  hookSeconds = defaultHooks.startSeconds,
): Promise<readonly string[]> {
  const known = await listMigrations(sources)
  await database.root.transaction().execute(async (tx) => {
    await holdLock(tx)
    await createTable(tx)
  })
  // Most starts find every migration applied: their files are not loaded.
  const before = new Set((await readApplied(database.root)).map(labelOf))
  const missing: Migration[] = []
  for (const one of known) if (!before.has(labelOf(one))) missing.push(await one.load(hookSeconds))
  const done: string[] = []
  for (const migration of missing) {
    if (await applyOne(database, migration, { known, hookSeconds })) done.push(labelOf(migration))
  }
  refuseNewer(await readApplied(database.root), known)
  database.renewStatements()
  return done
}

/** Throws if migrations are missing, or if a newer version applied a breaking one. */
export async function checkMigrations(database: Database, sources: readonly MigrationSource[]): Promise<void> {
  const known = await listMigrations(sources)
  const { rows } = await sql<{ at: string | null }>`select to_regclass('mesh_migrations')::text as at`.execute(
    database.root,
  )
  const applied = rows[0]?.at == null ? [] : await readApplied(database.root)
  refuseNewer(applied, known)
  const names = new Set(applied.map(labelOf))
  const missing = known.map(labelOf).filter((name) => !names.has(name))
  if (missing.length > 0) throw new MigrationsMissing(missing)
}

/** A migration whose code is not loaded yet. */
interface ListedMigration extends Pick<Migration, 'source' | 'name'> {
  load(hookSeconds: number): Promise<Migration>
}

/** The declared migrations of each source, and its numbered files in order. */
async function listMigrations(sources: readonly MigrationSource[]): Promise<readonly ListedMigration[]> {
  const listed: ListedMigration[] = []
  for (const { declared = [], ...source } of sources) {
    for (const one of declared)
      listed.push({ source: source.name, name: one.name, load: async () => ({ ...one, ...ownerOf(source) }) })
    const { migrations: folder } = source
    if (folder === undefined) continue
    const files = (await readdir(folder)).filter((file) => /^\d{4}-[a-z0-9-]+\.[jt]s$/.test(file))
    for (const file of files.toSorted())
      listed.push({
        source: source.name,
        name: nameOf(file),
        load: (hookSeconds) => loadOne({ ...source, folder }, file, hookSeconds),
      })
  }
  return listed
}

type SourceFolder = Omit<MigrationSource, 'declared' | 'migrations'> & { readonly folder: URL }

async function loadOne(source: SourceFolder, file: string, hookSeconds: number): Promise<Migration> {
  const folder = source.folder.href.replace(/\/?$/, '/')
  const module = (await importWithin(
    hookSeconds,
    nameOf(file),
    source.name,
    new URL(file, folder),
  )) as Partial<Migration>
  if (typeof module.up !== 'function' || typeof module.breaking !== 'boolean') {
    throw new TypeError(`${source.name}/${file}: a migration exports up(db) and breaking`)
  }
  return { ...ownerOf(source), name: nameOf(file), breaking: module.breaking, up: module.up }
}

function ownerOf({ name, tablePrefix }: Pick<MigrationSource, 'name' | 'tablePrefix'>) {
  return { source: name, ...(tablePrefix === undefined ? {} : { tablePrefix }) }
}

function nameOf(file: string): string {
  return file.replace(/\.[jt]s$/, '')
}

// One transaction per migration, so that a kill leaves only complete ones. The lock belongs to the transaction and never outlives it.
async function applyOne(
  database: Database,
  migration: Migration,
  { known, hookSeconds }: { readonly known: readonly ListedMigration[]; readonly hookSeconds: number },
): Promise<boolean> {
  return database.root.transaction().execute(async (tx) => {
    await holdLock(tx)
    const applied = await readApplied(tx)
    refuseNewer(applied, known)
    if (applied.some((one) => labelOf(one) === labelOf(migration))) return false
    await sql`set local statement_timeout = 0`.execute(tx)
    await withinPrefix(tx, migration, () => upWithin(hookSeconds, migration, tx))
    const { source, name, breaking } = migration
    await withTables<MigrationTables>(tx).insertInto('mesh_migrations').values({ source, name, breaking }).execute()
    return true
  })
}

async function holdLock(tx: Transaction<unknown>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(tx)
}

async function createTable(tx: Transaction<unknown>): Promise<void> {
  await sql`create table if not exists mesh_migrations (source text not null, name text not null,
    breaking boolean not null, applied_at timestamptz not null default now(), primary key (source, name))`.execute(tx)
}

function readApplied(db: Kysely<unknown>): Promise<Applied[]> {
  return withTables<MigrationTables>(db).selectFrom('mesh_migrations').select(['source', 'name', 'breaking']).execute()
}

// Only sources of this process are checked: a plugin that is disabled here may have migrated further elsewhere.
function refuseNewer(applied: readonly Applied[], known: readonly ListedMigration[]): void {
  const names = new Set(known.map(labelOf))
  const sources = new Set(known.map((migration) => migration.source))
  const newer = applied.filter((one) => one.breaking && sources.has(one.source) && !names.has(labelOf(one)))
  if (newer.length === 0) return
  throw new NewerDatabase(newer.map(labelOf))
}

function labelOf(migration: { readonly source: string; readonly name: string }): string {
  return `${migration.source}/${migration.name}`
}
