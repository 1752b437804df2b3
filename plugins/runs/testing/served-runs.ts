import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { createObserved } from '#core/cluster/observed-objects.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { memoryKeyring } from '#core/signing/testing/key-types.ts'
import type { Run } from '../contract/run.ts'
import { createCallerRuns } from '../callers/caller-runs.ts'
import { againEndpoints } from '../routes/again.ts'
import { conversationEndpoints } from '../routes/conversations.ts'
import { invokeEndpoints } from '../routes/invoke.ts'
import { listEndpoints } from '../routes/lists.ts'
import { runEndpoints } from '../routes/run.ts'
import { statsEndpoint } from '../routes/stats.ts'
import { agent, createWorld, worldMigrations } from './world.ts'
import type { World } from './world.ts'

type Answer = Awaited<ReturnType<FastifyInstance['inject']>>

/** Routes of runs on a database, for a caller with every right. */
export interface ServedRuns {
  readonly world: World
  ask(method: 'GET' | 'POST', path: string, payload?: object, idempotencyKey?: string): Promise<Answer>
  /** Creates a run of the test agent and returns its id. */
  create(input: unknown): Promise<string>
  /** The run as the list shows it; undefined if it does not. */
  listed(id: string): Promise<Run | undefined>
  /** Sets the indexed fields of the agent; null: not indexed yet. */
  index(spec: object | null): Promise<unknown>
}

const httpMigrations = { name: 'http', migrations: new URL('../../../core/http/migrations/', import.meta.url) }

/** Serves runs of the test agent, which is indexed without a trace policy. */
export async function serveRuns(t: { after(fn: () => unknown): void }, database: Database): Promise<ServedRuns> {
  await migrate(database, [...worldMigrations, httpMigrations])
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash, spec) values
    ('ns-uid', 'Namespace', '', ${agent.namespace}, '1', '', null),
    (${agent.uid}, 'AgentDeployment', ${agent.namespace}, ${agent.name}, '1', '', '{}')`.execute(database.root)
  const world = createWorld(database)
  const observed = createObserved(world.store)
  const core = { keys: memoryKeyring(), now: () => new Date(), log: createLogger({ level: 'error' }) }
  const services = { ...world, core, observed, runs: createCallerRuns({ ...world, core, observed }) }
  const stats = statsEndpoint({ store: world.store, core: { now: core.now, extensions: () => [] } })
  const conversations = conversationEndpoints(world)
  const endpoints = [
    [stats],
    conversations,
    listEndpoints(services, services),
    invokeEndpoints(services),
    againEndpoints(services),
  ]
  const routes = [...endpoints.flat(), ...runEndpoints(services)]
  const { app } = await buildServer(t, [{ name: 'runs', endpoints: routes }], { store: world.store })
  const ask: ServedRuns['ask'] = (method, path, payload, key) =>
    app.inject({
      method,
      url: `/api${path}`,
      headers: { authorization: 'Bearer good-token', ...(key === undefined ? {} : { 'idempotency-key': key }) },
      ...(payload === undefined ? {} : { payload }),
    })
  return {
    world,
    ask,
    async create(input) {
      const made = await ask('POST', '/runs', { agent: { namespace: agent.namespace, name: agent.name }, input })
      if (made.statusCode !== 201) throw new Error(made.body)
      return made.json<Run>().id
    },
    async listed(id) {
      const { items } = (await ask('GET', '/runs?limit=100')).json<{ items: readonly Run[] }>()
      return items.find((run) => run.id === id)
    },
    index: (spec) =>
      sql`update object_index set spec = ${spec === null ? null : JSON.stringify(spec)}::jsonb where uid = ${agent.uid}`.execute(
        database.root,
      ),
  }
}
