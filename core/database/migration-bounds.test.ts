import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { checkMigrations, migrate } from './migrate.ts'
import { adapters } from './testing/databases.ts'

const hangs = {
  import: 'await new Promise(() => {})\nexport const up = async () => {}',
  up: 'export const up = () => new Promise(() => {})',
  'up after a statement':
    'export const up = async (db) => { await sql`create table slow_a (id int)`.execute(db); await new Promise(() => {}) }',
} as const

for (const adapter of adapters)
  test(
    `R2-C6: ${adapter.name}: code of a migration that never resolves is named and rolled back; a long statement is not cut`,
    { skip: adapter.skip },
    async (t) => {
      const database = await adapter.open(t)
      const run = async (code: string) => {
        const { path: folder, remove } = tempFolder('migrations')
        t.after(remove)
        const kysely = JSON.stringify(import.meta.resolve('kysely'))
        await writeFile(join(folder, 'package.json'), '{"type": "module"}')
        await writeFile(
          join(folder, '0001-slow.js'),
          `import { sql } from ${kysely}\nexport const breaking = false\n${code}`,
        )
        return migrate(database, [{ name: 'slow', migrations: pathToFileURL(`${folder}/`) }], 0.5)
      }
      for (const [hook, code] of Object.entries(hangs)) {
        const [what = ''] = hook.split(' ')
        const message = new RegExp(`^plugin slow: migration 0001-slow: ${what} did not end within 0\\.5 s`)
        await assert.rejects(run(code), { message }, hook)
      }
      const { rows } = await sql<{ at: string | null }>`select to_regclass('slow_a')::text as at`.execute(database.root)
      assert.equal(rows[0]?.at, null, 'nothing of it is left')
      const loop =
        "do $$ declare at timestamptz := clock_timestamp(); begin while clock_timestamp() < at + interval '1.2 seconds' loop end loop; end $$"
      assert.deepEqual(await run(`export const up = (db) => sql.raw(${JSON.stringify(loop)}).execute(db)`), [
        'slow/0001-slow',
      ])
    },
  )

for (const adapter of adapters)
  test(
    `${adapter.name}: the code of an applied migration is not loaded again, that of a missing one is`,
    { skip: adapter.skip },
    async (t) => {
      const database = await adapter.open(t)
      // Each start has a folder of its own, since modules are cached by their URL.
      const sourcesOf = async (files: Readonly<Record<string, string>>) => {
        const { path: folder, remove } = tempFolder('migrations')
        t.after(remove)
        await writeFile(join(folder, 'package.json'), '{"type": "module"}')
        for (const [name, code] of Object.entries(files)) await writeFile(join(folder, `${name}.js`), code)
        return [{ name: 'kept', migrations: pathToFileURL(`${folder}/`) }]
      }
      const valid = 'export const breaking = false\nexport const up = async () => {}'
      assert.deepEqual(await migrate(database, await sourcesOf({ '0001-first': valid })), ['kept/0001-first'])
      const unloadable = "throw new Error('it is loaded')"
      const applied = await sourcesOf({ '0001-first': unloadable })
      assert.deepEqual(await migrate(database, applied), [])
      await checkMigrations(database, applied)
      const missing = await sourcesOf({ '0001-first': unloadable, '0002-second': unloadable })
      await assert.rejects(checkMigrations(database, missing), /migrations missing: kept\/0002-second;/)
      await assert.rejects(migrate(database, missing), /it is loaded/)
    },
  )
