import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { clusterMigrations } from './object-index-tables.ts'

for (const { name, skip, open } of adapters)
  test(`rows of the tables before migration 0006 are kept under their new names (${name})`, { skip }, async (t) => {
    const database = await open(t)
    await migrate(database, [storeMigrations, migrationsBefore(t, '0006')])
    for (const statement of rowsBefore) await sql.raw(statement).execute(database.root)
    await migrate(database, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }])
    assert.deepEqual(await read(database, 'select uid, rv, deletion_missed, audited from object_index order by uid'), [
      { uid: 'live', rv: '7', deletion_missed: false, audited: { replicas: 2 } },
      { uid: 'missed', rv: '5', deletion_missed: true, audited: null },
    ])
    assert.deepEqual(await read(database, 'select kind, rv from resume_versions'), [{ kind: 'Agent', rv: '9' }])
    assert.deepEqual(await read(database, 'select kind, namespace, rv from namespace_resume_versions'), [
      { kind: 'Agent', namespace: 'team', rv: '11' },
    ])
    assert.deepEqual(await read(database, `select name, epoch::text from leader where name like 'cluster.%'`), [
      { name: 'cluster.missed-deletions', epoch: '3' },
    ])
    const { rows } = await sql<{ name: string }>`
      select indexname as name from pg_indexes where indexname like 'observed%' or indexname like 'followed%'`.execute(
      database.root,
    )
    assert.deepEqual(rows, [])
  })

const rowsBefore = [
  `insert into observed (uid, kind, namespace, name, rv, content_hash, deleted_at, departed, audited) values
    ('live', 'Agent', 'team', 'a', '7', 'hash', null, false, '{"replicas": 2}'),
    ('missed', 'Agent', 'team', 'b', '5', '', now(), true, null)`,
  "insert into followed (kind, rv) values ('Agent', '9')",
  "insert into followed_namespaces (kind, namespace, rv) values ('Agent', 'team', '11')",
  "insert into leader (name, holder, epoch, expires_at) values ('cluster.departed', 'one', 3, now())",
]

// A folder whose files load the migrations of an older version.
function migrationsBefore(t: TestContext, number: string) {
  const older = tempFolder('migrations')
  t.after(() => older.remove())
  for (const file of readdirSync(clusterMigrations).filter((one) => one < number))
    writeFileSync(join(older.path, file), `export * from '${new URL(file, clusterMigrations).href}'\n`)
  return { name: 'cluster', migrations: pathToFileURL(older.path) }
}

async function read(database: Database, statement: string): Promise<unknown[]> {
  return (await sql.raw(statement).execute(database.root)).rows
}
