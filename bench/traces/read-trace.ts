import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { migrate } from '#core/database/migrate.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { readProtobufTraces } from '#core/otlp/read-protobuf.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { buildTrace } from '#plugins/traces/spans/build-trace.ts'
import { readChunks } from '#plugins/traces/store/read-spans.ts'
import type { TraceAccess } from '#plugins/traces/store/read-spans.ts'
import { storeSpans } from '#plugins/traces/store/store-spans.ts'
import type { TracesTables } from '#plugins/traces/contract/tables.ts'
import { toChunks } from '#plugins/traces/spans/stored-span.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { Scope } from '#test/harness/scope.ts'
import { quantile } from '../tools/statistics.ts'
import { encodeBatch } from './encode-batch.ts'

const quotas = { spansPerTrace: 10_000, bytesPerNamespace: 2 ** 34 }
const owner = { namespace: 'default', uid: 'uid-1', name: 'robot' }

/** Stores a trace of 1,000 spans in ten chunks, among 200,000 spans of others, and returns its timed read. */
export async function readTrace(t: Scope): Promise<() => Promise<Record<string, number>>> {
  const postgres = await startPostgres(t, { fsync: false })
  const database = await openDatabase({ url: postgres.url })
  t.after(() => database.close())
  const traces = { name: 'traces', migrations: new URL('../../plugins/traces/migrations/', import.meta.url) }
  await migrate(database, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }, traces])
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
    values ('ns-uid', 'Namespace', '', 'default', '1', '')`.execute(database.root)
  const store = createStore(database, { projections: [] })
  const chunksOf = () => toChunks(readProtobufTraces(encodeBatch(100), Date.now()).spans)
  for (let others = 0; others < 2_000; others++) await store.transact((tx) => storeSpans(tx, owner, chunksOf(), quotas))
  const [{ traceId } = { traceId: '' }] = chunksOf()
  for (let part = 0; part < 10; part++)
    await store.transact((tx) =>
      storeSpans(
        tx,
        owner,
        chunksOf().map((chunk) => ({ ...chunk, traceId })),
        quotas,
      ),
    )
  const access = { namespace: 'default' as DnsLabel } as TraceAccess
  const db = store.reader<TracesTables>()
  return async () => {
    const times: number[] = []
    for (let read = 0; read < 200; read++) {
      const started = performance.now()
      const { chunks } = await readChunks(db, [access], traceId)
      const { spans, roots } = buildTrace(chunks)
      const text = JSON.stringify(roots)
      times.push(performance.now() - started)
      if (spans !== 1_000 || text.length < 100_000) throw new Error(`${spans} spans`)
    }
    return { 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99) }
  }
}
