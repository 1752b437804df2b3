import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { buildServer, UNREADING } from '#core/http/testing/build-server.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { memoryKeyring } from '#core/signing/testing/key-types.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { invokeEndpoints } from '../routes/invoke.ts'
import { createCallerRuns } from '../callers/caller-runs.ts'
import { agent, createWorld, queueRunOf } from '../testing/world.ts'

const sources = [
  storeMigrations,
  { name: 'cluster', migrations: clusterMigrations },
  { name: 'http', migrations: new URL('../../../core/http/migrations/', import.meta.url) },
  { name: 'runs', migrations: new URL('../migrations/', import.meta.url) },
]

for (const { name, skip, open } of pluginAdapters) {
  const start = async (t: TestContext, settings: Parameters<typeof createWorld>[2] = {}) => {
    const database = await open(t, sources)
    await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
      values (${agent.uid}, 'AgentDeployment', ${agent.namespace}, ${agent.name}, '1', '')`.execute(database.root)
    const world = createWorld(database, createMemoryBus(), settings)
    const observed = {
      find: async () => ({ ...agent, kind: 'AgentDeployment', resourceVersion: '1' }),
      namespaceUid: async () => 'ns-uid',
    }
    const core = { keys: memoryKeyring(), now: () => new Date(), log: createLogger({ level: 'error' }) }
    const runs = createCallerRuns({ ...world, core, observed })
    const endpoints = invokeEndpoints({ ...world, core, runs })
    const { app } = await buildServer(t, [{ name: 'runs', endpoints }], { store: world.store })
    const { namespace, name: agentName } = agent
    const post = (key: string, some: { bearer?: string; input?: unknown; url?: string; timeout?: string } = {}) => {
      const { bearer = 'good-token', input = 'x', url = '/runs', ...more } = some
      return app.inject({
        method: 'POST',
        url: `/api${url}`,
        headers: { authorization: `Bearer ${bearer}`, 'idempotency-key': key },
        payload: { agent: { namespace, name: agentName }, input, ...more },
      })
    }
    const count = async (): Promise<number> => {
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from runs_runs`.execute(database.root)
      return rows[0]?.n ?? 0
    }
    return { database, world, post, count }
  }

  test(`${name}: O6: a request whose process ended before its answer was stored has one run`, { skip }, async (t) => {
    // A repeat is not refused by the quota that its run uses.
    const { database, post, count } = await start(t, { queuedPerCaller: 2 })
    // As after a process that ended between the COMMIT of the run and that of the answer: a claim without an answer.
    await sql
      .raw(`create function ends() returns trigger language plpgsql as $$ begin
        raise exception 'the process ends here'; end $$`)
      .execute(database.root)
    await sql
      .raw('create trigger ends before update of answer or delete on idempotency for each row execute function ends()')
      .execute(database.root)
    const invoke = { url: '/invoke', timeout: '1s' }
    assert.equal((await post('lost')).statusCode, 500)
    assert.equal((await post('lost', invoke)).statusCode, 500)
    assert.equal(await count(), 2, 'the key belongs to its route')
    await sql`drop trigger ends on idempotency`.execute(database.root)
    await sql`update idempotency set created_at = now() - interval '3 minutes'`.execute(database.root)
    const again = await post('lost')
    const { id } = again.json<{ id: string }>()
    assert.deepEqual([again.statusCode, again.headers['location']], [201, `/api/runs/${id}`], again.body)
    assert.equal((await post('lost', invoke)).statusCode, 202)
    const replayed = await post('lost')
    assert.deepEqual([replayed.headers['idempotency-replayed'], replayed.body], ['true', again.body])
    assert.equal(await count(), 2)
  })

  test(
    `${name}: O6: a failed request is repeated with one run; the key belongs to its caller and body`,
    { skip },
    async (t) => {
      const { database, world, post, count } = await start(t)
      const forget = () => sql`delete from idempotency`.execute(database.root)
      const idOf = ({ body }: { body: string }): string => (JSON.parse(body) as { id: string }).id
      const first = await post('k')
      assert.equal(first.statusCode, 201, first.body)
      // As after a COMMIT whose answer was lost: the request fails, and its claim is released.
      await forget()
      assert.equal(idOf(await post('k')), idOf(first))
      await forget()
      const changed = await post('k', { input: 'y' })
      assert.deepEqual([changed.statusCode, changed.json<{ code: string }>().code], [409, 'idempotency_conflict'])
      assert.notEqual(idOf(await post('k', { bearer: 'other-token' })), idOf(first))
      const twice = await Promise.all([post('two'), post('two')])
      for (const { statusCode } of twice) assert.ok([201, 409].includes(statusCode), 'created, replayed or in progress')
      const idempotency = { key: Buffer.from('both'), request: Buffer.from('same') }
      const [one, other] = await Promise.all([1, 2].map(() => queueRunOf(world, { idempotency })))
      assert.equal(one?.id, other?.id, 'also if both find no run before they create one')
      assert.equal(await count(), 4)
      await forget()
      await sql`update runs_runs set created_at = now() - interval '49 hours'`.execute(database.root)
      assert.notEqual(idOf(await post('k')), idOf(first), 'the key has expired')
    },
  )

  test(
    `${name}: SEC18: a repeat shows the current state of the run only to a caller that may get it`,
    { skip },
    async (t) => {
      const { database, post } = await start(t)
      for (const [bearer, state] of [
        [UNREADING, 'queued'],
        ['other-token', 'succeeded'],
      ] as const) {
        const first = await post('k', { bearer })
        const { id } = first.json<{ id: string }>()
        await sql`update runs_runs set state = 'succeeded', finished_at = now() where id = ${id}`.execute(database.root)
        await sql`update runs_content set output = '"secret"' where run_id = ${id}`.execute(database.root)
        await sql`delete from idempotency`.execute(database.root)
        const again = await post('k', { bearer })
        assert.equal(again.json<{ state: string }>().state, state, again.body)
        if (state === 'queued') assert.equal(again.body, first.body)
      }
    },
  )
}
