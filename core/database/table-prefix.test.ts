import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { migrate } from './migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { prefixOfThirdParty } from './table-prefix.ts'
import { adapters } from './testing/databases.ts'

const steps = [
  ['create table widgets (id int)', 'widgets'],
  ['do $$ begin create table widgets (id int); exception when duplicate_table then null; end $$', 'widgets'],
  ['create view x_acme as select 1 as one', 'x_acme'],
  ['create table x_acme_x_widgets (id int); alter table events rename to x_acme_x_events', 'events'],
  ['drop table dead_letter', 'dead_letter'],
] as const

for (const adapter of adapters) {
  test(
    `${adapter.name}: third parties: a step that makes, renames or drops a table of another name is refused whole`,
    { skip: adapter.skip },
    async (t) => {
      const database = await adapter.open(t)
      const run = async (statements: string) => {
        const folder = await mkdtemp(join(tmpdir(), 'mesh-migrations-'))
        t.after(() => rm(folder, { recursive: true, force: true }))
        const kysely = JSON.stringify(import.meta.resolve('kysely'))
        const text = `import { sql } from ${kysely}
          export const breaking = false
          export const up = (db) => sql.raw(${JSON.stringify(statements)}).execute(db)`
        await writeFile(join(folder, 'package.json'), '{"type": "module"}')
        await writeFile(join(folder, '0001-tables.js'), text)
        const migrations = pathToFileURL(`${folder}/`)
        const tablePrefix = prefixOfThirdParty('acme-x')
        return migrate(database, [storeMigrations, { name: 'acme-x', migrations, tablePrefix }])
      }
      for (const [statements, table] of steps) {
        const message = `plugin acme-x: the migration 0001-tables makes or changes ${table}; .* named x_acme_x_`
        await assert.rejects(run(statements), new RegExp(message), statements)
      }
      const { rows } = await sql`
        select 1 from pg_class where relname in ('widgets', 'x_acme', 'x_acme_x_widgets')`.execute(database.root)
      assert.deepEqual(rows, [], 'nothing of a refused step is left')
      assert.deepEqual(await run('create table x_acme_x_widgets (id int primary key)'), ['acme-x/0001-tables'])
    },
  )
}
