import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { runInformers } from '#core/controllers/informer.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { runConsumers } from '#core/messaging/consumer/consumer-runner.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import type { KubeObject, Resource } from '#core/kube/client.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { ADMIN, startTestServer } from '@mesh.dev/embedded-apiserver/testing'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { createRunIn } from '#plugins/runs/create/create-run.ts'
import { createRunPruner } from '#plugins/runs/retention/prune-runs.ts'
import { targetOf } from '#plugins/runs/create/find-target.ts'
import { savePartials } from '#plugins/runs/store/partials.ts'
import { findRun } from '#plugins/runs/store/internal/find-run.ts'
import type { RunsTables, RunsTx } from '#plugins/runs/contract/tables.ts'
import { createWorld } from '#plugins/runs/testing/world.ts'
import { toCrd } from '#schemas/kinds/crd.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { pruningConsumers } from './consumers.ts'

const agents: Resource = { ...AgentDeployment, namespaced: true }
const namespaces: Resource = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }
const tables = ['runs_runs', 'runs_content', 'runs_lease', 'runs_journal', 'runs_partial'] as const

type Inside = (db: RunsTx) => Promise<void>

for (const { name, skip, open } of pluginAdapters) {
  const setUp = async (t: TestContext) => {
    const closers: (() => Promise<unknown>)[] = []
    // Hooks run in the order of their registration: this one comes before that of the database.
    t.after(async () => {
      for (const close of closers.toReversed()) await close()
    })
    const runs = { name: 'runs', migrations: new URL('../runs/migrations/', import.meta.url) }
    const database = await open(t, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }, runs])
    const bus = createMemoryBus()
    closers.push(() => bus.close())
    const world = createWorld(database, bus)
    const { store } = world
    const server = await startTestServer(t, { crds: [toCrd(AgentDeployment)] })
    const pool = createPool(server.url)
    const cluster = createKubeClient({ server: server.url, pool, bearer: ADMIN })
    const controller = new AbortController()
    const informers = runInformers({
      cluster,
      store,
      informers: [agents, namespaces].map((resource) => ({ resource, resourceKind: resource.kind })),
      log: createLogger({ level: 'error' }),
      signal: controller.signal,
    })
    const consumers = pruningConsumers(() => [createRunPruner(world.writer, () => undefined)])
    const running = await runConsumers({ store, database, bus, consumers, sweepEveryMs: 3_600_000 })
    closers.push(() => pool.close())
    closers.push(() => running.stop())
    closers.push(() => {
      controller.abort()
      return informers.done
    })
    await informers.synced

    const makeNamespace = async (namespace: string) => {
      const made = await cluster.create<KubeObject>(namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      })
      return made.metadata.uid ?? ''
    }
    const makeAgent = async (namespace: string, agent: string) => {
      const object = { apiVersion: 'mesh.dev/v1alpha1', kind: 'AgentDeployment', metadata: { name: agent, namespace } }
      const made = await cluster.create<KubeObject>(agents, { ...object, spec: { model: { route: 'mock' } } })
      return { namespace, name: agent, uid: made.metadata.uid ?? '' }
    }
    const queue = async (agent: Awaited<ReturnType<typeof makeAgent>>, namespaceUid: string, inside?: Inside) => {
      const runId = uuidV7()
      const traceparent = `00-${runId.replaceAll('-', '')}-${'1'.repeat(16)}-01`
      const run = {
        runId,
        agent,
        namespaceUid,
        input: 'private words',
        conversationId: 'c',
        labels: {},
        grant: 'unsigned',
        trigger: { kind: 'api', by: 'alice' },
        subject: 'alice',
        actor: { name: 'alice', kind: 'user' } as const,
        traceparent,
      }
      await store.transact(async (tx) => {
        await createRunIn(world, tx, run, inside && targetOf(run))
        await inside?.(tx.tables<RunsTables>())
      })
      const partial = { run_id: runId, message_id: 'm', text: 'half a sen' }
      await store.transact((tx) => savePartials(tx.tables<RunsTables>(), [partial]))
      return runId
    }
    /** Tables in which a run still has a row. */
    const traces = async (runId: string): Promise<string[]> => {
      const found: string[] = []
      for (const table of tables) {
        const key = sql.ref(table === 'runs_runs' ? 'id' : 'run_id')
        const { rows } = await sql`select 1 from ${sql.table(table)} where ${key} = ${runId} limit 1`.execute(
          database.root,
        )
        if (rows.length > 0) found.push(table)
      }
      return found
    }
    /** State in the read model; undefined for a run that was removed. */
    const state = async (runId: string): Promise<string | undefined> =>
      (await findRun(store.reader<RunsTables>(), runId))?.state
    /** Ends a run as succeeded, as its worker does. */
    const succeed = async (runId: string): Promise<void> => {
      const actor = { name: 'worker', kind: 'system' } as const
      await world.writer.change(runId, { actor }, () => ({
        facts: [{ fact: 'started', epoch: 1, segment: 1 }, { fact: 'succeeded' }],
      }))
    }
    const events = async (type: string): Promise<number> => {
      const rows = await database.db.selectFrom('events').select('id').where('type', '=', type).execute()
      return rows.length
    }
    const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
      const end = performance.now() + 45_000
      while (!(await holds())) {
        assert.ok(performance.now() < end, what)
        await running.sweepNow()
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
    const remove = (namespace: string, agent: string) =>
      cluster.delete(agents, { namespace: parseLabel('ns', namespace), name: parseName('name', agent) })
    return {
      cluster,
      makeNamespace,
      makeAgent,
      queue,
      traces,
      state,
      succeed,
      events,
      until,
      remove,
      database,
      settle: running.sweepNow,
    }
  }
  const check = (what: string, fn: (rig: Awaited<ReturnType<typeof setUp>>) => Promise<void>) =>
    test(`${name}: ${what}`, { skip, timeout: 480_000 }, async (t) => fn(await setUp(t)))

  check(
    'PODA26: runs of a deleted agent stay, those under way are cancelled, another agent keeps its own',
    async (rig) => {
      const ns = await rig.makeNamespace('team')
      const [one, other] = [await rig.makeAgent('team', 'one'), await rig.makeAgent('team', 'other')]
      const [ended, waiting, kept] = [await rig.queue(one, ns), await rig.queue(one, ns), await rig.queue(other, ns)]
      await rig.succeed(ended)
      await rig.remove('team', 'one')
      await rig.until('the run is cancelled', async () => (await rig.state(waiting)) === 'cancelling')
      assert.deepEqual([await rig.state(ended), await rig.state(kept)], ['succeeded', 'queued'])
      // The end of a run removes its unfinished message.
      assert.deepEqual(await rig.traces(ended), tables.slice(0, -1))
      // A re-created agent of the same name has another uid: the deletion that is handled again leaves its runs alone.
      const again = await rig.makeAgent('team', 'one')
      const newer = await rig.queue(again, ns)
      await rig.until('the creation is seen', async () => (await rig.events('dev.mesh.cluster.created.v1')) >= 4)
      await sql`delete from inbox`.execute(rig.database.root)
      await sql`update cursor set position = 0 where stream = '*'`.execute(rig.database.root)
      await rig.settle()
      assert.deepEqual([await rig.state(newer), await rig.state(waiting)], ['queued', 'cancelling'])
      assert.equal(await rig.events('dev.mesh.runs.cancel-requested.v1'), 1, 'the run is cancelled once')
      assert.equal(await rig.events('dev.mesh.runs.deleted.v1'), 0)
    },
  )

  check('a deleted namespace takes the runs of its agents, and only of that namespace uid', async (rig) => {
    const [ns, elsewhere] = [await rig.makeNamespace('team'), await rig.makeNamespace('elsewhere')]
    const gone = await rig.queue(await rig.makeAgent('team', 'one'), ns)
    // No informer has seen the agent: the deletion of the namespace removes its runs.
    const unseen = await rig.queue({ namespace: 'team', name: 'ghost', uid: uuidV7() }, ns)
    const kept = await rig.queue(await rig.makeAgent('elsewhere', 'one'), elsewhere)
    await rig.cluster.delete(namespaces, { name: parseLabel('name', 'team') })
    await rig.until('the runs are removed', async () => (await rig.traces(unseen)).length === 0)
    await rig.until('those of the agent too', async () => (await rig.traces(gone)).length === 0)
    assert.deepEqual(await rig.traces(kept), tables)
    const storage = await sql<{ of: string }>`select distinct namespace_uid as of from runs_storage`.execute(
      rig.database.root,
    )
    assert.deepEqual(storage.rows, [{ of: elsewhere }])
    const again = await rig.makeNamespace('team')
    const { rows } = await sql`select 1 from runs_runs where namespace = 'team'`.execute(rig.database.root)
    assert.deepEqual(rows, [])
    const newer = await rig.queue(await rig.makeAgent('team', 'one'), again)
    await rig.settle()
    assert.deepEqual(await rig.traces(newer), tables)
  })

  check('PODA26: a run that is made while its agent is deleted is cancelled, a later one is refused', async (rig) => {
    const ns = await rig.makeNamespace('team')
    const agent = await rig.makeAgent('team', 'brief')
    const isThere = async (): Promise<boolean> =>
      (await sql`select 1 from object_index where uid = ${agent.uid}`.execute(rig.database.root)).rows.length === 1
    await rig.until('the agent is seen', isThere)
    const held = Promise.withResolvers<void>()
    const removed = held.promise.then(() => rig.remove('team', 'brief'))
    const made = await rig.queue(agent, ns, async (db) => {
      held.resolve()
      await removed
      // Long enough for the manager to observe the deletion; recording it waits for this transaction.
      for (let tries = 0; tries < 20; tries++) {
        const gone = await sql`select 1 from object_index where uid = ${agent.uid} and deleted_at is not null`.execute(
          db,
        )
        assert.deepEqual(gone.rows, [])
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
    })
    await rig.until('its run is cancelled', async () => (await rig.state(made)) === 'cancelling')
    await assert.rejects(
      rig.queue(agent, ns, async () => undefined),
      (error: unknown) => error instanceof Fail && error.code === 'not_found',
    )
  })

  check('a deletion with more dependents than a batch is pruned in several transactions', async (rig) => {
    const ns = await rig.makeNamespace('team')
    const agent = await rig.makeAgent('team', 'busy')
    for (let n = 0; n < 210; n++) await rig.queue(agent, ns)
    await rig.remove('team', 'busy')
    await rig.until('all are cancelled', async () => (await rig.events('dev.mesh.runs.cancel-requested.v1')) === 210)
    assert.equal(await rig.events('dev.mesh.pruning.unfinished.v1'), 1)
    await rig.cluster.delete(namespaces, { name: parseLabel('name', 'team') })
    await rig.until('all runs are removed', async () => (await rig.events('dev.mesh.runs.deleted.v1')) === 210)
    for (const table of tables) {
      const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(rig.database.root)
      assert.deepEqual(rows, [], table)
    }
    assert.equal(await rig.events('dev.mesh.pruning.unfinished.v1'), 2)
  })
}
