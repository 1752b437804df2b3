import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Fail } from '#core/errors/domain-error.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { Database } from '#core/database/database.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { createStore } from './create-store.ts'
import { checkProjections, updateProjections } from './projection-versions.ts'
import { applyWithin, createProjections } from './projections.ts'
import { readAfter } from './read-events.ts'
import type { Projection } from './store.ts'
import { createNotes, note, sums } from './testing/notes.ts'

const applySeconds = 0.2

/** Writes, and then never ends. */
const stuck: Projection = {
  ...sums,
  apply: async (event, tx) => {
    await sums.apply(event, tx)
    await new Promise(() => undefined)
  },
}

for (const adapter of adapters) {
  const check = (name: string, fn: (database: Database) => Promise<void>): void => {
    test(`R2-C6: ${adapter.name}: ${name}`, { skip: adapter.skip, timeout: 480_000 }, async (t) => {
      const database = await adapter.open(t)
      await createNotes(database)
      await updateProjections(database, [sums])
      await fn(database)
    })
  }

  for (const [hook, projection] of [
    ['apply', stuck],
    ['applyAll', { ...stuck, applyAll: async ([event], tx) => event && stuck.apply(event, tx) }],
  ] as const satisfies readonly (readonly [string, Projection])[])
    check(`${hook} of a projection that never resolves rolls its append back, and is named`, async (database) => {
      const lines: string[] = []
      const log = createLogger({ destination: { write: (line) => lines.push(line) } })
      const late = createStore(database, { projections: [projection], applySeconds, log })
      await assert.rejects(
        late.transact((tx) => tx.append('notes/a', 0, [note(1), note(2)])),
        (error) => error instanceof Fail && error.code === 'store_unavailable',
      )
      assert.match(
        lines.join(),
        new RegExp(
          `projection notes\\.sums: ${hook} did not end within 0\\.2 s \\(the setting pluginHooks\\.applySeconds\\)`,
        ),
      )
      assert.deepEqual(await stored(database), { events: 0, sums: 0 })
      // The stream, the session and the other writers are free again.
      await createStore(database, { projections: [sums] }).transact((tx) => tx.append('notes/a', 0, [note(3)]))
      assert.deepEqual(await stored(database), { events: 1, sums: 1 })
    })

  check('a projection that always writes is rolled back, and its later statements are refused', async (database) => {
    const ended = Promise.withResolvers<unknown>()
    const busy: Projection = {
      ...sums,
      apply: async (event, tx) => {
        try {
          // PGlite answers within a turn of the event loop: without the turn no timer would fire.
          for (;;) await Promise.all([sums.apply(event, tx), turn()])
        } catch (error) {
          ended.resolve(error)
          await new Promise(() => undefined)
        }
      },
    }
    const store = createStore(database, { projections: [busy], applySeconds })
    await assert.rejects(
      store.transact((tx) => tx.append('notes/a', 0, [note(1)])),
      { code: 'store_unavailable' },
    )
    assert.ok((await ended.promise) instanceof Error)
    assert.deepEqual(await stored(database), { events: 0, sums: 0 })
  })

  check('a rebuild that never resolves ends, and the tables of before stay', async (database) => {
    await createStore(database, { projections: [sums] }).transact((tx) => tx.append('notes/a', 0, [note(1)]))
    await assert.rejects(updateProjections(database, [{ ...stuck, version: 2 }], applySeconds), {
      name: 'LateProjection',
      message: /^projection notes\.sums: apply did not end within 0\.2 s/,
    })
    await checkProjections(database.db, [sums])
    assert.deepEqual(await stored(database), { events: 1, sums: 1 })
  })
}

test('R2-C6: an append has one timer, which each call of a projection restarts', async (t) => {
  const happened: string[] = []
  // The mocked timers of Node do not restart.
  t.mock.method(globalThis, 'setTimeout', () => {
    happened.push('timer')
    return { refresh: () => happened.push('restart') }
  })
  const called = (name: string): Projection => ({
    ...sums,
    name,
    tables: [name],
    apply: async () => void happened.push(name),
  })
  const events = ['a', 'b'].map((id) => ({ id, type: sums.types[0]?.type })) as never
  const projections = createProjections([called('one'), called('two')], applyWithin(applySeconds))
  await projections.apply(events, undefined as never)
  assert.deepEqual(happened, ['timer', 'restart', 'one', 'restart', 'one', 'restart', 'two', 'restart', 'two'])
  await projections.apply([], undefined as never)
  assert.equal(happened.length, 9, 'an append without projections has none')
})

async function stored({ db, root }: Database): Promise<{ readonly events: number; readonly sums: number }> {
  const rows = await root
    .selectFrom('notes_sums' as never)
    .selectAll()
    .execute()
  return { events: (await readAfter(db, 0n, 10)).length, sums: rows.length }
}
