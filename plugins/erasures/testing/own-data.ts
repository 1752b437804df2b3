import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { Value } from 'typebox/value'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { parseLabel } from '#core/kube/names.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import { runConsumers } from '#core/messaging/consumer/consumer-runner.ts'
import type { Tx } from '#core/event-store/store.ts'
import { objectStores } from '#core/objects/testing/adapters.ts'
import { memoryConsumers } from '#plugins/memory/consumers.ts'
import { recordingConsumers } from '#plugins/recording/consumers.ts'
import { recordingSettings } from '#plugins/recording/contract/settings.ts'
import { prefixOfRun } from '#plugins/recording/contract/format/part-key.ts'
import { endPart, modelPart } from '#plugins/recording/contract/format/testing/parts.ts'
import { eraseRecordings } from '#plugins/recording/jobs.ts'
import { storePart } from '#plugins/recording/store/store-part.ts'
import type { RunsTables, SelectedRun } from '#plugins/runs/contract/tables.ts'
import { lockRun } from '#plugins/runs/store/internal/lease.ts'
import { readOwners } from '#plugins/runs/store/read-owners.ts'
import { sharingConsumers } from '#plugins/sharing/consumers.ts'
import type { SharingTables } from '#plugins/sharing/contract/tables.ts'
import { insertSnapshot } from '#plugins/sharing/store/shares.ts'
import { tracesConsumers } from '#plugins/traces/consumers.ts'
import { tracesSettings } from '#plugins/traces/contract/settings.ts'
import { receiveSpans } from '#plugins/traces/receive-spans.ts'
import type { TracesServices } from '#plugins/traces/services/create-services.ts'
import { exportOf, spanId, spanOf } from '#plugins/traces/testing/spans.ts'
import type { openErasing } from './erasing.ts'

type Erasing = Awaited<ReturnType<typeof openErasing>>

const ignored = (): void => undefined
const text = (key: string, value: string) => ({ key, value: { stringValue: value } })

/** What plugins keep of a run beside it: spans with contents, a recording, and a share. Their consumers run as in a worker. */
export async function openOwnData(t: TestContext, { database, store }: Erasing) {
  const [folder] = objectStores()
  if (folder === undefined) throw new Error('no object store')
  const objects = await folder.open(t)
  const bus = createMemoryBus()
  t.after(() => bus.close())
  const owners = (uid: string, traceIds: readonly string[]) => readOwners(store.reader<RunsTables>(), uid, traceIds)
  const runs = {
    heldTracesIn: async (tx: Tx, traceIds: readonly string[]) =>
      new Set((await readOwners(tx.tables<RunsTables>(), '', traceIds)).keys()),
    lockIn: async (tx: Tx, id: string) => (await lockRun(tx.tables<RunsTables>(), id)) !== undefined,
  }
  const ofTraces = { runs, removed: ignored } as unknown as TracesServices
  const consumers = [
    ...tracesConsumers(ofTraces),
    ...sharingConsumers({ removed: ignored }),
    ...recordingConsumers(),
    ...memoryConsumers(),
  ]
  const running = await runConsumers({ store, database, bus, consumers, sweepEveryMs: 3_600_000 })
  t.after(() => running.stop())
  const spans = {
    core: { store, now: () => new Date() } as TracesServices['core'],
    settings: Value.Create(tracesSettings),
    received: ignored,
  }
  const settings = Value.Create(recordingSettings)
  return {
    objects,
    /** Delivers events to the consumers of a worker. */
    deliver: () => running.sweepNow(),
    /** A span of the run, with what a model was asked. */
    trace: (run: SelectedRun, words: string) =>
      receiveSpans(
        spans,
        { tracesOf: owners },
        { namespace: run.namespace, name: 'robot', uid: `robot-${run.namespace}` },
        exportOf(
          spanOf(run.trace_id ?? '', spanId(0), {
            attributes: [
              text('mesh.run.id', run.id),
              text('gen_ai.input.messages', `[{"role":"user","parts":"${words}"}]`),
            ],
          }),
        ),
      ),
    /** Two parts of the recording of the run. */
    async record({ id, namespace, namespace_uid: namespaceUid }: SelectedRun, words: string): Promise<void> {
      const services = { store, runs, settings, counted: ignored }
      for (const part of [modelPart(1, words, { runId: id }), endPart(1, 0, { runId: id })])
        await storePart(services, objects, { id, namespace: parseLabel('namespace', namespace), namespaceUid }, part)
    },
    /** A share of the run, with its snapshot. */
    async share(run: SelectedRun, by: string, words: string): Promise<void> {
      const id = uuidV7()
      await sql`insert into sharing_shares (id, token_hash, namespace, namespace_uid, run_id, created_by, created_at, expires_at, content, bytes)
        values (${id}, ${Buffer.from(id)}, ${run.namespace}, ${run.namespace_uid}, ${run.id}, ${by}, now(),
          now() + interval '1 day', 'full', 9)`.execute(database.root)
      const head = JSON.stringify({ input: words })
      await store.transact((tx) => insertSnapshot(tx.tables<SharingTables>(), { share_id: id, head, events: '[]' }))
    },
    recordingOf: (run: SelectedRun) => objects.list(prefixOfRun(run.id), { limit: 10 }),
    /** One execution of the state role's job that erases recordings. */
    eraseRecordings: () =>
      eraseRecordings({ store, settings, removed: ignored }, objects, new AbortController().signal),
    /** Tables, except events, with a row that contains the words. */
    async tablesWith(words: string): Promise<readonly string[]> {
      const { rows } = await sql<{ name: string }>`select table_name as name from information_schema.tables
        where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`.execute(database.root)
      const found: string[] = []
      for (const { name } of rows) {
        const { rows: hits } = await sql`select 1 from ${sql.table(name)} as one
          where one::text like ${`%${words}%`} limit 1`.execute(database.root)
        if (hits.length > 0) found.push(name)
      }
      return found
    },
  }
}
