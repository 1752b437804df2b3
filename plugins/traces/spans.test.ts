import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import { deleteRuns } from '#plugins/runs/retention/delete-runs.ts'
import { readOwners } from '#plugins/runs/store/read-owners.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import { tracesConsumers } from './consumers.ts'
import type { TracesServices } from './services/create-services.ts'
import { removeExpiredSpans, removeOrphanedSpans, spanPruner } from './store/remove-spans.ts'
import { exportOf, openSpans, robot, spanId, spanOf } from './testing/spans.ts'

const free = '4bf92f3577b34da6a3ce929d0e0e4736'
const other = { namespace: 'default', name: 'other', uid: 'uid-2' }
const many = (traceId: string, count: number, from = 0) =>
  exportOf(...Array.from({ length: count }, (_, index) => spanOf(traceId, spanId(from + index))))

for (const { name, skip, open } of pluginAdapters) {
  test(
    `${name}: spans of own runs and of own traces are stored; those of foreign traces are refused`,
    { skip },
    async (t) => {
      const { run, send, tree, counts, chunks } = await openSpans(t, open)
      const mine = await run()
      const foreign = await run({ agent: other })
      const all = [mine.trace_id, foreign.trace_id, free].map((traceId, index) => spanOf(traceId, spanId(index)))
      assert.deepEqual(await send(exportOf(...all, spanOf('x', spanId(9)))), { accepted: 2, rejected: 2 })
      assert.deepEqual(counts, ['malformed 1', 'foreign_trace 1', 'stored 2'])
      assert.equal((await tree(mine.trace_id)).roots[0]?.agent.name, 'robot')
      assert.equal((await tree(foreign.trace_id)).spans, 0)
      await send(exportOf(spanOf(mine.trace_id, spanId(5))), other)
      assert.equal(counts.at(-1), 'foreign_trace 1')
      await run({ agent: other, parent: mine, traceparent: `00-${mine.trace_id}-${'2'.repeat(16)}-01` })
      await send(exportOf(spanOf(mine.trace_id, spanId(5))), other)
      assert.equal((await tree(mine.trace_id)).spans, 2, 'a delegated run shares the trace')
      assert.deepEqual((await chunks(mine.trace_id, ['elsewhere'])).chunks, [])
    },
  )

  test(`${name}: F10: a trace has a quota of spans per agent, also for concurrent requests`, { skip }, async (t) => {
    const { send, counts, accounts } = await openSpans(t, open, { spansPerTrace: 1000 })
    await Promise.all(Array.from({ length: 6 }, (_, round) => send(many(free, 300, round * 300))))
    assert.deepEqual((await accounts()).totals, [900])
    assert.equal(counts.filter((count) => count === 'over_quota 300').length, 3)
    await send(many(free, 200), other)
    assert.deepEqual((await accounts()).totals, [200, 900], 'the quota of an agent is its own')
  })

  test(`${name}: F10: a namespace above its bytes stores nothing more, and counts nothing`, { skip }, async (t) => {
    const { send, counts, accounts } = await openSpans(t, open, { bytesPerNamespace: 20_000 })
    assert.deepEqual(await send(many(free, 300)), { accepted: 0, rejected: 300 }, 'the first of all')
    assert.deepEqual(await accounts(), { totals: [], bytes: 0 })
    await send(many(free, 50))
    const before = await accounts()
    assert.ok(before.bytes > 8_000 && before.bytes < 13_000)
    assert.deepEqual(await send(many('a'.repeat(32), 75)), { accepted: 0, rejected: 75 })
    assert.equal(counts.at(-1), 'over_quota 75')
    assert.deepEqual(await accounts(), before)
    await assert.rejects(send([]), { code: 'malformed_request' })
    const elsewhere = { ...robot, namespace: 'gone' }
    assert.deepEqual(await send(many('b'.repeat(32), 1), elsewhere), { accepted: 0, rejected: 1 }, 'no such namespace')
  })

  test(`${name}: F10: spans end with their time, their agent, and the last run of their trace`, { skip }, async (t) => {
    const { database, store, world, run, send, accounts, chunks } = await openSpans(t, open)
    const [one, two] = [await run(), await run({ agent: other })]
    const child = await run({ agent: other, parent: one, traceparent: `00-${one.trace_id}-${'2'.repeat(16)}-01` })
    await send(exportOf(spanOf(one.trace_id, spanId(0)), spanOf(free, spanId(1))))
    await send(exportOf(spanOf(one.trace_id, spanId(2)), spanOf(two.trace_id, spanId(3))), other)
    const deleted = async (id: string, traceId?: string) => {
      await world.store.transact((tx) => deleteRuns(tx, [id], { name: 'test', kind: 'controller' }))
      await consume(world.store, [{ runId: id, traceId }])
    }
    await deleted(child.id, child.trace_id)
    assert.equal((await chunks(one.trace_id)).chunks.length, 2, 'its parent is still there')
    await deleted(one.id, one.trace_id)
    assert.equal((await chunks(one.trace_id)).chunks.length, 0)
    await consume(world.store, [{ runId: two.id, traceId: undefined }])
    assert.equal(await store.transact((tx) => removeExpiredSpans(tx, 14, 500)), 0)
    await sql`update traces_chunks set stored_at = now() - interval '15 days' where trace_id = ${free}`.execute(
      database.root,
    )
    assert.equal(await store.transact((tx) => removeExpiredSpans(tx, 14, 500)), 1)
    assert.deepEqual((await accounts()).totals, [1])
    await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash, deleted_at)
      values ('uid-2', 'AgentDeployment', 'default', 'other', '1', '', now())`.execute(database.root)
    assert.equal(await store.transact((tx) => removeOrphanedSpans(tx, 500)), 1)
    assert.deepEqual(await accounts(), { totals: [], bytes: 0 })
    await send(exportOf(spanOf(free, spanId(0))))
    const gone = { kind: 'AgentDeployment', uid: 'uid-1', namespace: 'default' }
    assert.equal(await store.transact((tx) => spanPruner.prune(tx, gone, 500)), 1)
    assert.deepEqual(await accounts(), { totals: [], bytes: 0 })
  })

  test(`${name}: an answer has at most 10,000 spans, and says so`, { skip }, async (t) => {
    const { send, chunks, tree } = await openSpans(t, open, { spansPerTrace: 100_000 })
    for (let round = 0; round < 12; round++) await send(many(free, 1000, round * 1000))
    const { truncated } = await chunks(free)
    assert.deepEqual([truncated, (await tree(free)).spans], [true, 10_000])
    const large = 'c'.repeat(32)
    await send(many(large, 10_001))
    assert.equal((await tree(large)).spans, 10_001, 'the spans of one request are shown, however many')
  })
}

async function consume(
  store: Store,
  events: readonly { readonly runId: string; readonly traceId: string | undefined }[],
): Promise<void> {
  const [consumer] = tracesConsumers({
    runs: {
      heldTracesIn: async (tx: Tx, ids: readonly string[]) =>
        new Set((await readOwners(tx.tables<RunsTables>(), '', ids)).keys()),
    },
    removed: () => undefined,
  } as unknown as TracesServices)
  await store.transact((tx) => consumer?.handle(events.map((data) => ({ data })) as never, tx) ?? Promise.resolve())
}
