import type { TestContext } from 'node:test'
import { Value } from 'typebox/value'
import { sql } from 'kysely'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { createLeaderElection } from '#core/database/leader-election.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createMemoryStateStore } from '#core/state-store/memory-store.ts'
import { costProjection } from '#plugins/cost/projections/cost-days.ts'
import { costEraser } from '#plugins/cost/projections/erase-person.ts'
import { createScoreEraser } from '#plugins/feedback/erase-scores.ts'
import { memoryConsumers } from '#plugins/memory/consumers.ts'
import { memorySettings } from '#plugins/memory/contract/settings.ts'
import { createSessionMemory } from '#plugins/memory/session/session-memory.ts'
import { erasePeople } from '#plugins/memory/store/erase-people.ts'
import { memoryEraser } from '#plugins/memory/store/erase-items.ts'
import { runDeleted } from '#plugins/runs/contract/events.ts'
import { runsProjection } from '#plugins/runs/projections.ts'
import { createRunEraser } from '#plugins/runs/retention/erase-runs.ts'
import { createWorld, queueRunOf } from '#plugins/runs/testing/world.ts'
import { createShareEraser } from '#plugins/sharing/shares/erase-shares.ts'
import type { ErasingOptions } from '../erase-subjects.ts'
import { ERASING_JOB, eraseSubjects } from '../erase-subjects.ts'
import { acceptErasure } from '../request-erasure.ts'
import type { SelectedRequest } from '../contract/tables.ts'

const own = ['runs', 'memory', 'feedback', 'sharing', 'cost', 'recording', 'traces', 'erasures']

/** Every eraser on a migrated database with the live namespaces `a` and `b`, as the worker and the state role run them. */
export async function openErasing(
  t: TestContext,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
) {
  const ofPlugins = own.map((name) => ({ name, migrations: new URL(`../../${name}/migrations/`, import.meta.url) }))
  const database = await open(t, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }, ...ofPlugins])
  for (const name of ['a', 'b'])
    await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
      values (${`uid-${name}`}, 'Namespace', '', ${name}, '1', ''),
        (${`robot-${name}`}, 'AgentDeployment', ${name}, 'robot', '1', '')`.execute(database.root)
  const world = createWorld(database)
  const store = createStore(database, { projections: [runsProjection, costProjection] })
  const settings = Value.Create(memorySettings)
  const session = createSessionMemory(createMemoryStateStore().lists, settings)
  const counts: string[] = []
  const options = (some: Partial<ErasingOptions> = {}): ErasingOptions => ({
    store,
    erasers: () => [
      costEraser,
      memoryEraser,
      createScoreEraser({ removed: () => undefined }),
      createShareEraser({ removed: () => undefined }),
      createRunEraser(world.writer, () => undefined),
    ],
    counted: (of, count) => {
      if (count > 0) counts.push(`${of} ${count}`)
    },
    oldest: () => undefined,
    ...some,
  })
  const events = (type: string) =>
    database.db.selectFrom('events').select(['stream', 'data']).where('type', '=', type).execute()
  return {
    database,
    world,
    store,
    settings,
    session,
    counts,
    events,
    request: (subject: string, namespace?: string, requestedBy = 'olga'): Promise<SelectedRequest> =>
      acceptErasure(store, {
        request: { subject, ...(namespace === undefined ? {} : { namespace }) },
        requestedBy,
        idempotency: undefined,
      }),
    /** One execution of the worker's job by a leader. */
    async work(some: Partial<ErasingOptions> = {}, signal?: AbortSignal): Promise<void> {
      const election = createLeaderElection({ database, holder: 'one', name: ERASING_JOB })
      await election.run(
        (term) =>
          eraseSubjects(options(some), {
            ...term,
            signal: signal === undefined ? term.signal : AbortSignal.any([term.signal, signal]),
          }),
        new AbortController().signal,
      )
    },
    /** One execution of the state role's job. */
    eraseConversations: () => erasePeople(store, session, new AbortController().signal),
    /** Delivers `runs.deleted` of runs to the consumer of memory. */
    async deliver(ids: readonly string[]): Promise<void> {
      const deleted: StoredEvent[] = []
      for (const id of ids)
        deleted.push(...(await store.readStream(`runs/${id}`)).filter(({ type }) => type === runDeleted.type))
      const [consumer] = memoryConsumers()
      await store.transact((tx) => consumer?.handle(deleted as never, tx as never) ?? Promise.resolve())
    },
    async row(id: string): Promise<SelectedRequest> {
      const { rows } = await sql<SelectedRequest>`select * from erasures_requests where id = ${id}`.execute(
        database.root,
      )
      if (rows[0] === undefined) throw new Error('no such erasure')
      return rows[0]
    },
    run: (subject: string, namespace = 'a', conversationId = 'talk') =>
      queueRunOf(world, {
        agent: { namespace, name: 'robot', uid: `robot-${namespace}` },
        namespaceUid: `uid-${namespace}`,
        input: `private words of ${subject}`,
        subject,
        conversationId,
        trigger: { kind: 'api', by: subject },
        actor: { name: subject, kind: 'user' },
      }),
    async names(table: string, column: string): Promise<readonly string[]> {
      const { rows } = await sql<{ value: string }>`
        select ${sql.ref(column)}::text as value from ${sql.table(table)} order by 1`.execute(database.root)
      return rows.map(({ value }) => value)
    },
  }
}
