import assert from 'node:assert/strict'
import { once } from 'node:events'
import test from 'node:test'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { Fail } from '#core/errors/domain-error.ts'
import type { Database } from '#core/database/database.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { createStore } from './create-store.ts'
import { checkProjections, findProjection, updateProjections } from './projection-versions.ts'
import { readAfter } from './read-events.ts'
import { rebuild } from './rebuild-projection.ts'
import type { Projection, Store } from './store.ts'
import { createNotes, note, sums } from './testing/notes.ts'

/** A newer release whose projection counts every note twice. */
const doubled: Projection = {
  ...sums,
  version: 2,
  apply: async (event, tx) => {
    await sums.apply(event, tx)
    await sql`update notes_sums set total = total + ${(event.data as { n: number }).n} where stream = ${event.stream}`.execute(
      tx,
    )
  },
}

const isOtherVersion = (error: unknown): boolean => error instanceof Fail && error.code === 'store_unavailable'

for (const adapter of adapters) {
  const check = (name: string, fn: (database: Database) => Promise<void>): void => {
    test(`${adapter.name}: ${name}`, { skip: adapter.skip, timeout: 480_000 }, async (t) => {
      const database = await adapter.open(t)
      await createNotes(database)
      await fn(database)
    })
  }

  check('CON13: a projection is registered once, and rebuilt when its version is higher', async (database) => {
    await assert.rejects(checkProjections(database.db, [sums]), /notes\.sums; run the role migrate/)
    assert.deepEqual(await updateProjections(database, [sums]), [])
    await checkProjections(database.db, [sums])
    await append(createStore(database, { projections: [sums] }), 'notes/a', 3, 4)
    await assert.rejects(checkProjections(database.db, [doubled]), { name: 'ProjectionsOutdated' })
    assert.deepEqual(await updateProjections(database, [doubled]), [{ name: 'notes.sums', events: 2 }])
    assert.deepEqual(await totals(database), { 'notes/a': 14 })
    await checkProjections(database.db, [doubled])
    assert.deepEqual(await updateProjections(database, [doubled]), [])
  })

  check('CON13: an older release is refused, with the command that returns to it', async (database) => {
    await updateProjections(database, [doubled])
    await append(createStore(database, { projections: [doubled] }), 'notes/a', 1)
    const refused = { name: 'NewerProjection', message: /mesh rebuild notes\.sums/ }
    await assert.rejects(checkProjections(database.db, [sums]), refused)
    await assert.rejects(updateProjections(database, [sums]), refused)
    assert.deepEqual(await totals(database), { 'notes/a': 2 })
    await rebuild(database, sums)
    assert.deepEqual(await totals(database), { 'notes/a': 1 })
    await checkProjections(database.db, [sums])
  })

  check('CON13: a process of another version cannot append events that feed the projection', async (database) => {
    await updateProjections(database, [sums])
    const [older, newer] = [sums, doubled].map((projection) => createStore(database, { projections: [projection] }))
    const other = createStore(database, { projections: [] })
    assert.ok(older !== undefined && newer !== undefined)
    await assert.rejects(append(newer, 'notes/a', 1), isOtherVersion)
    await append(older, 'notes/a', 1)
    await rebuild(database, doubled)
    await assert.rejects(append(older, 'notes/a', 1), isOtherVersion)
    await append(newer, 'notes/a', 1)
    await append(other, 'notes/b', 1)
    assert.deepEqual(await totals(database), { 'notes/a': 4 })
    assert.equal((await readAfter(database.db, 0n, 10)).length, 3)
  })

  check('CON13: a rebuild during writes of both versions ends with the rows of the new one', async (database) => {
    await updateProjections(database, [sums])
    const stores = [sums, doubled].map((projection) => createStore(database, { projections: [projection] }))
    const [older] = stores
    assert.ok(older !== undefined)
    await append(older, 'notes/early', ...Array.from({ length: 700 }, (_, n) => n))
    const enough = new AbortController()
    const written = [0, 0]
    const writers = stores.flatMap((store, version) =>
      [0, 1].map(async (writer) => {
        for (let n = 1; !enough.signal.aborted; n++) {
          const done = await append(store, `notes/${writer}`, n).then(
            () => true,
            (error: unknown) => {
              if (!isOtherVersion(error)) throw error
              return false
            },
          )
          if (done) written[version] = (written[version] ?? 0) + 1
          // Slower than the rebuild, which otherwise would not catch up.
          await delay(5)
        }
      }),
    )
    while (written[0] === 0) await turn()
    assert.equal(written[1], 0)
    await rebuild(database, doubled)
    while (written[1] === 0) await turn()
    enough.abort()
    await Promise.all(writers)
    const expected: Record<string, number> = {}
    for (const { stream, data } of await readAfter(database.db, 0n, 100_000))
      expected[stream] = (expected[stream] ?? 0) + 2 * (data as { n: number }).n
    assert.deepEqual(await totals(database), expected)
  })

  check('CON13: a rebuild stops when a later one is started', async (database) => {
    await updateProjections(database, [sums])
    const store = createStore(database, { projections: [sums] })
    await append(store, 'notes/a', ...Array.from({ length: 600 }, () => 1))
    const begun = new EventTarget()
    const arrived = once(begun, 'page')
    const slow: Projection = {
      ...doubled,
      apply: async (event, tx) => {
        begun.dispatchEvent(new Event('page'))
        await doubled.apply(event, tx)
      },
    }
    const earlier = assert.rejects(rebuild(database, slow), /another rebuild of notes\.sums was started/)
    await arrived
    await Promise.all([earlier, rebuild(database, { ...doubled, version: 3 })])
    assert.deepEqual(await totals(database), { 'notes/a': 1200 })
    await checkProjections(database.db, [{ ...doubled, version: 3 }])
  })
}

test('an unknown projection is named, with the nearest and all known ones', () => {
  assert.equal(findProjection([sums], 'notes.sums'), sums)
  assert.throws(() => findProjection([sums], 'notes.sum'), /PROJECTION: .*"notes\.sum"; did you mean notes\.sums\?/)
  for (const hostile of ['\0', '\ud800', 'x'.repeat(1e6), '__proto__', "'; drop table events; --"])
    assert.throws(
      () => findProjection([sums], hostile),
      (error: Error) => error.message.length < 500,
    )
})

async function append(store: Store, stream: string, ...numbers: readonly number[]): Promise<void> {
  await store.transact((tx) =>
    tx.append(
      stream,
      'any',
      numbers.map((n) => note(n)),
    ),
  )
}

async function totals(database: Database): Promise<Record<string, number>> {
  const { rows } = await sql<{ stream: string; total: number }>`select stream, total from notes_sums`.execute(
    database.root,
  )
  return Object.fromEntries(rows.map(({ stream, total }) => [stream, total]))
}
