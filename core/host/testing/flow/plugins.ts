import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { on } from '#core/messaging/consumer/consumer.ts'
import { defineEvent } from '#core/event-store/event.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeObject, Resource } from '#core/kube/client.ts'
import type { Projection } from '#core/event-store/store.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'

interface Tables {
  notes_list: { id: string; namespace: string; text: string }
  tally_counts: { namespace: string; notes: number }
}

const noteAdded = defineEvent({
  plugin: 'notes',
  fact: 'added',
  summary: 'A note was added.',
  data: Type.Object({ text: Type.String() }),
})

const listed: Projection = {
  name: 'notes.list',
  version: 1,
  tables: ['notes_list'],
  types: [noteAdded],
  apply: async (event, tx) => {
    const { text } = event.data as { text: string }
    await sql`INSERT INTO notes_list VALUES (${event.subject.name}, ${event.subject.namespace}, ${text})`.execute(tx)
  },
}

/** Writes events and reads its projection. */
const notes = definePlugin({
  contract: 1,
  name: 'notes',
  settings: Type.Object({ maxLength: Type.Integer({ default: 100 }) }),
  settingsFrom: [{ from: 'NOTES_MAX_LENGTH', to: 'maxLength' }],
  migrations: new URL('./notes-migrations/', import.meta.url),
  events: [noteAdded],
  requires: ['store'],
  create: (core, settings) => ({ store: core.store, maxLength: settings.maxLength }),
  api: () => ({ added: noteAdded }),
  projections: () => [listed],
  routes: ({ store, maxLength }) => [
    endpoint({
      method: 'POST',
      url: '/notes/:ns',
      summary: 'Add a note.',
      authz: { kind: 'review', verb: 'create', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
      body: Type.Object({ text: Type.String({ minLength: 1 }) }),
      idempotent: true,
      response: { 201: Type.Object({ id: Type.String() }) },
      handle: async ({ access, body, caller }) => {
        if (body.text.length > maxLength) throw new Fail('invalid_body')
        const id = randomUUID()
        const subject = { namespace: access.namespace, kind: 'Note', name: id }
        const actor = { name: caller.username, kind: 'user' } as const
        await store.transact((tx) =>
          tx.append(`notes/${id}`, 0, [{ type: noteAdded, subject, actor, data: { text: body.text } }]),
        )
        return { id }
      },
    }),
    endpoint({
      method: 'GET',
      url: '/notes/:ns',
      summary: 'List notes.',
      authz: { kind: 'review', verb: 'list', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
      response: { 200: Type.Object({ items: Type.Array(Type.String()) }) },
      handle: async ({ access }) => {
        const rows = await store
          .reader<Tables>()
          .selectFrom('notes_list')
          .select('text')
          .where('namespace', '=', access.namespace)
          .orderBy('text')
          .execute()
        return { items: rows.map(({ text }) => text) }
      },
    }),
  ],
})

/** Consumes the other plugin's events in the worker. */
const tally = definePlugin({
  contract: 1,
  name: 'tally',
  settings: Type.Object({}),
  needs: { notes },
  migrations: new URL('./tally-migrations/', import.meta.url),
  create: (core, _settings, needs) => ({ store: core.store, added: needs.notes.added }),
  consumers: ({ added }) => [
    on('tally.count', [added], { order: 'none', from: 'start' }, async (events, tx) => {
      for (const { subject } of events) {
        await sql`INSERT INTO tally_counts VALUES (${subject.namespace}, 1) ON CONFLICT (namespace) DO UPDATE SET notes = tally_counts.notes + 1`.execute(
          tx.tables(),
        )
      }
    }),
  ],
  routes: ({ store }) => [
    endpoint({
      method: 'GET',
      url: '/tally/:ns',
      summary: 'Count notes.',
      authz: { kind: 'review', verb: 'list', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
      response: { 200: Type.Object({ notes: Type.Integer() }) },
      handle: async ({ access }) => {
        const row = await store
          ?.reader<Tables>()
          .selectFrom('tally_counts')
          .select('notes')
          .where('namespace', '=', access.namespace)
          .executeTakeFirst()
        return { notes: row?.notes ?? 0 }
      },
    }),
  ],
})

const configMaps: Resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true }

const ping = (url: string, role: string) =>
  endpoint({
    method: 'GET',
    url,
    summary: 'Get the role.',
    authz: { kind: 'bearer' },
    response: { 200: Type.Object({ role: Type.String() }) },
    handle: async () => ({ role }),
  })

/** Acts in the manager with its own identity, and serves routes of gateway and state. */
const mirror = definePlugin({
  contract: 1,
  name: 'mirror',
  settings: Type.Object({}),
  create: () => ({}),
  reconcilers: (_inner, { cluster }) => [
    {
      name: 'mirror',
      resource: configMaps,
      reconcile: async (ref, object: KubeObject | undefined) => {
        const wanted =
          object?.metadata.labels?.['mirror'] === 'wanted' && object.metadata.annotations?.['mirrored'] === undefined
        if (wanted)
          await cluster.patch(configMaps, ref, {
            type: 'merge',
            body: { metadata: { annotations: { mirrored: 'yes' } } },
          })
        return {}
      },
    },
  ],
  gatewayRoutes: (_services, { role }) => [ping('/v1/ping', role)],
  stateRoutes: (_services, { role }) => [ping('/ping', role)],
})

/** Three small plugins that use every slot of a role. */
export const flowPlugins: readonly AnyPlugin[] = [tally, mirror, notes]
