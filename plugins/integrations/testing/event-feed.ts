import type { TestContext } from 'node:test'
import { createEventRights } from '#core/event-rights/event-rights.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { sql } from 'kysely'
import { clusterEvents } from '#core/controllers/objects/object-events.ts'
import { namespaceUids } from '#core/cluster/namespace-uids.ts'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType, Subject } from '#core/event-store/event.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { migrate } from '#core/database/migrate.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { plugins } from '#plugins/index.ts'
import { servePlugin } from '#plugins/agents/testing/serve.ts'
import { Type } from 'typebox'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createEventFeed } from '../event-feed.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { streamEvents } from '../stream-events.ts'

/** Last event that a test reads: every persona may see it. */
export const sentinel = defineEvent({
  plugin: 'test',
  fact: 'read',
  summary: 'Everything before was read.',
  data: Type.Object({}),
  seenBy: { verb: 'get', resource: 'sentinels' },
})

/** Every event type that core and the plugins declare. */
export const declaredTypes: readonly EventType[] = [
  ...clusterEvents,
  ...plugins.flatMap((plugin) => plugin.events ?? []),
]

/** The event feed on a kube-apiserver and an embedded store, with a namespace for `ns` bound to the personas. */
export async function startEventFeed(t: TestContext, more: readonly AnyEndpoint[] = []) {
  const database = await openMemoryStore()
  await migrate(database, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }])
  const store = createStore(database, { projections: [], validate: false, namespaceUids })
  const types = new Map([...declaredTypes, sentinel].map((type) => [type.type, type]))
  const lines: string[] = []
  const log = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } })
  const kinds = kindsOf(plugins)
  const eventRights: Core['eventRights'] = (caller, namespace = '') =>
    createEventRights({ caller, types, kinds, namespace })
  const core = { install: 'mesh', eventTypes: () => types, eventRights, log }
  const served = await servePlugin(t, 'events', () => [
    streamEvents({ core, store, feed: createEventFeed(store) }),
    ...more,
  ])
  t.after(() => database.close())
  const url = await served.listen()
  const append = async (type: EventType, subject: Subject, data: object = {}, stream = uuidV7()): Promise<void> => {
    await store.transact((tx) => tx.append(stream, 'any', [{ type, subject, data }]))
  }
  const open = (who: string, query: string): Promise<Response> =>
    fetch(`${url}/api/events${query}`, { headers: { authorization: `Bearer ${served.bearer(who)}` } })
  /** The events that a persona sees up to the sentinel, as `type name`. */
  const seen = async (who: string, query: string): Promise<readonly string[]> => {
    const from = query.includes('after=') ? query : `${query}${query === '' ? '?' : '&'}after=start`
    return upToSentinel(await open(who, from))
  }
  const upToSentinel = async (answer: Response): Promise<readonly string[]> => {
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
    const events: string[] = []
    for await (const { type, subject } of framesOf(answer)) {
      if (type === sentinel.type) return events
      events.push(`${type} ${subject.split('/')[2] ?? ''}`)
    }
    throw new Error(`ended before the sentinel: ${events.join(', ')}`)
  }
  const observe = (uid: string, name: string, resourceVersion: string) =>
    sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
      values (${uid}, 'Namespace', '', ${name}, ${resourceVersion}, 'x')`.execute(database.root)
  const gone = (uid: string) =>
    sql`update object_index set deleted_at = now() where uid = ${uid}`.execute(database.root)
  return { ...served, url, database, store, lines, append, open, seen, upToSentinel, observe, gone }
}

interface SeenEvent {
  readonly type: string
  readonly subject: string
}

async function* framesOf(answer: Response): AsyncGenerator<SeenEvent> {
  let text = ''
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString()
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      if (data !== undefined) yield JSON.parse(data) as SeenEvent
    }
  }
}

const rbac = (plural: string, kind: string) => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: !kind.startsWith('Cluster'),
})

/** Grants users rights on resources of `mesh.dev`, in a namespace or (undefined) cluster-wide. */
export async function grant(
  admin: KubeClient,
  name: string,
  users: readonly string[],
  {
    namespace,
    rules,
  }: { readonly namespace?: string; readonly rules: readonly { verbs: string[]; resources: string[] }[] },
): Promise<void> {
  const cluster = namespace === undefined ? 'Cluster' : ''
  const kinds = { role: `${cluster}Role`, binding: `${cluster}RoleBinding` }
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) }
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  const role = {
    apiVersion,
    kind: kinds.role,
    metadata,
    rules: rules.map((rule) => ({ apiGroups: ['mesh.dev'], ...rule })),
  }
  const binding = {
    apiVersion,
    kind: kinds.binding,
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: kinds.role, name },
    subjects: users.map((user) => ({ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' })),
  }
  await admin.create(rbac(`${kinds.role.toLowerCase()}s`, kinds.role), role)
  await admin.create(rbac(`${kinds.binding.toLowerCase()}s`, kinds.binding), binding)
}
