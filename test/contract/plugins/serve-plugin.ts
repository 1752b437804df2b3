import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Access, Caller } from '#core/cluster/caller.ts'
import { createDirectory } from '#core/cluster/namespace-directory.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import { readSettings } from '#core/config/settings.ts'
import { objectDeleted } from '#core/controllers/objects/object-events.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { prefixOfThirdParty } from '#core/database/table-prefix.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { createHost } from '#core/host/process/host.ts'
import { bareSettings, standalonePlatform } from '#core/host/testing/standalone-platform.ts'
import { loadThirdParties } from '#core/host/third-party/third-party.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { KubeError } from '#core/kube/status.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { consumersOfStored, migrationsOfStored } from '#core/plugin/stored-slot.ts'

const httpMigrations = { name: 'http', migrations: new URL('../../../core/http/migrations/', import.meta.url) }

// Namespaces where each user may do everything; other reviews are denied, that of the whole cluster too.
const rights: Readonly<Record<string, readonly string[]>> = { ann: ['a', 'b'], ben: ['b'], root: ['', 'a', 'b'] }

/** Verbs that a user lacks, as `ann promote`. */
type Denied = ReadonlySet<string>

function callerOf(bearer: string, denied: Denied, cluster?: KubeClient): Caller {
  const allowed = rights[bearer]
  if (allowed === undefined) throw new KubeError(401, 'Unauthorized', 'Unauthorized')
  const review: Caller['review'] = async (verb, resource, { namespace }) => {
    if (!allowed.includes(namespace) || denied.has(`${bearer} ${verb}`))
      throw new KubeError(403, 'Forbidden', `${resource} is forbidden`)
    return { verb, resource, namespace, username: bearer } as Access<typeof verb, typeof resource>
  }
  return {
    username: bearer,
    bearer,
    get cluster(): KubeClient {
      if (cluster === undefined) throw new Error('this test has no cluster')
      return cluster
    },
    whoami: async () => ({ username: bearer, uid: '', groups: [], extra: {} }),
    rulesIn: async () => ({ complete: true, rules: [] }),
    review,
    may: (verb, resource, where) => review(verb, resource, where).catch(() => undefined),
  }
}

/** Observes a namespace, as the manager does. */
async function observe(database: Database, name: string, uid: string): Promise<void> {
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
    values (${uid}, 'Namespace', '', ${name}, '1', '')`.execute(database.root)
}

interface Sent {
  readonly body?: unknown
  readonly headers?: object
  readonly who?: string | undefined
}

/** A plugin of a third party with stored resources. */
export interface ServedPlugin {
  readonly file: URL
  /** Path of its resource, below `/api/x`. */
  readonly path: string
  readonly settings?: string
}

/** Serves a plugin of a third party with the namespaces `a` and `b` on a database. */
export async function servePlugin(t: TestContext, open: OpenDatabase, { file, path, settings }: ServedPlugin) {
  const [plugin] = await loadThirdParties([`./${basename(fileURLToPath(file))}`], {
    folder: fileURLToPath(new URL('.', file)),
    plugins: [],
    profile: 'open',
  })
  assert.ok(plugin)
  const served = { plugin, path: `/api/x${path}`, thirdParty: true }
  return serveBuiltIn(t, open, settings === undefined ? served : { ...served, settings })
}

type OpenDatabase = (t: TestContext) => Promise<Database>

/** A plugin with stored resources, and the path of one. */
export interface ServedResource {
  readonly plugin: AnyPlugin
  readonly path: string
  readonly settings?: string
  readonly thirdParty?: boolean
  /** Cluster of every caller. */
  readonly cluster?: KubeClient
}

/** Serves a plugin with the namespaces `a` and `b` on a database. */
export async function serveBuiltIn(
  t: TestContext,
  open: OpenDatabase,
  { plugin, path: base, settings = '', thirdParty = false, cluster }: ServedResource,
) {
  const database = await open(t)
  const prefix = thirdParty ? { tablePrefix: prefixOfThirdParty(plugin.name) } : {}
  const own = { name: plugin.name, declared: migrationsOfStored(plugin), ...prefix }
  await migrate(database, [{ name: 'cluster', migrations: clusterMigrations }, httpMigrations, own])
  for (const name of ['a', 'b']) await observe(database, name, `uid-${name}`)
  const store = createStore(database, { projections: [], eventTypes: [...(plugin.events ?? []), objectDeleted] })
  const platform = standalonePlatform()
  const clock = { ms: Date.now() }
  const denied = new Set<string>()
  const host = createHost({
    roles: ['bff'],
    plugins: [plugin],
    settings: readSettings(bareSettings(settings), {}, [plugin]),
    openPlatform: async (needs) => ({
      ...(await platform(needs)),
      store,
      observed: createObserved(store),
      directory: createDirectory(store),
      callers: { as: async (bearer) => callerOf(bearer, denied, cluster) },
    }),
    keys: testKeyring(),
    version: '0.0.0',
    log: createLogger({ destination: { write: () => undefined } }),
    now: () => new Date((clock.ms += 1)),
    thirdParty: new Set(thirdParty ? [plugin.name] : []),
  })
  t.after(() => host.close())
  await host.start()
  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, sent: Sent = {}) => {
    const { body, headers, who = 'ann' } = sent
    const answer = await host.app('bff')?.inject({
      method,
      url: `${base}${path}`,
      headers: {
        ...(who === '' ? {} : { authorization: `Bearer ${who}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    assert.ok(answer)
    return answer
  }
  /** Deletes a namespace, and creates it again under another uid. */
  const renew = async (name: string): Promise<void> => {
    await sql`update object_index set deleted_at = now() where uid = ${`uid-${name}`}`.execute(database.root)
    await observe(database, name, `uid-${name}-2`)
  }
  /** Delivers the deletion of a namespace to the consumers of the plugin. */
  const deliver = async (uid: string): Promise<void> => {
    const events = [{ data: { kind: 'Namespace', uid } }]
    for (const { handle } of consumersOfStored(plugin)) await store.transact((tx) => handle(events as never, tx))
  }
  /** Number of rows of a table. */
  const count = async (table: string): Promise<number> => {
    const { rows } = await sql<{ n: number }>`select count(*)::integer as n from ${sql.table(table)}`.execute(
      database.root,
    )
    return rows[0]?.n ?? 0
  }
  return { ask, database, store, denied, renew, deliver, count, plugin }
}

interface Problem {
  readonly code: string
  readonly detail: string
  readonly pointer: string | undefined
}

/** The code, the detail and the first pointer of a problem. */
export function problemOf(answer: { json<T>(): T }): Problem {
  const { code, detail, errors } = answer.json<{ code: string; detail: string; errors?: { pointer: string }[] }>()
  return { code, detail, pointer: errors?.[0]?.pointer }
}
