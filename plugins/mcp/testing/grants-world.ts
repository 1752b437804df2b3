import type { Scope } from '#test/harness/scope.ts'
import type { Access, Caller, ReviewTarget } from '#core/cluster/caller.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { migrate } from '#core/database/migrate.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { stateOf } from '#core/http/endpoint/request-context.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createOutbound } from '#core/http-client/outbound.ts'
import { KubeError } from '#core/kube/status.ts'
import { createSealed } from '#core/signing/sealed.ts'
import { memoryKeyring } from '#core/signing/testing/key-types.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject, McpServerSpec } from '#schemas/crds/mcp-server.ts'
import type { McpTables } from '../contract/tables.ts'
import { grantsPart } from '../oauth/endpoints.ts'
import type { GrantServices } from '../oauth/server/grant-services.ts'

const migrations = { name: 'mcp', migrations: new URL('../migrations/', import.meta.url) }

/** Address of the console in these tests. */
export const CONSOLE = 'http://127.0.0.1:8080'

/** An answer of the API. */
export interface GrantAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Who asks: a user, and its browser session. */
export interface Asking {
  readonly who?: string
  readonly session?: string
}

/** The routes of grants of a BFF on a real store, in front of a cluster with servers that a test chooses. */
export async function openGrants(t: Scope, allow: readonly string[] = ['127.0.0.1']) {
  const database = await openMemoryStore()
  await migrate(database, [storeMigrations, migrations])
  const store = createStore(database, { projections: [] })
  const outbound = createOutbound({ allow })
  t.after(async () => {
    await outbound.close()
    await store.close()
  })
  const lines: string[] = []
  const log = logTo(lines)
  const services: GrantServices = {
    store,
    sealed: createSealed(memoryKeyring(), 'mcp'),
    outbound,
    log,
    now: () => new Date(),
  }
  const servers = new Map<string, McpServerObject>()
  const refused = new Set<string>()
  const cluster = { as: async (bearer: string) => callerOf({ servers, refused }, bearer) }
  const part = grantsPart({ services, publicUrl: CONSOLE })
  const built = await buildServer(t, [{ name: 'mcp', endpoints: [part] }], {
    cluster,
    store,
    sessions: () => ({ reader: { bearerOf: readTestSession }, routes: async () => undefined }),
  })
  const ask = async (method: string, path: string, body?: object, by: Asking = {}): Promise<GrantAnswer> => {
    const { who = 'ada', session } = by
    const headers = session === undefined ? { authorization: `Bearer ${who}-token` } : { cookie: `${session}=${who}` }
    const response = await built.app.inject({
      method: method as 'GET',
      url: `/api/mcp/oauth${path}`,
      headers,
      ...(body === undefined ? {} : { payload: body }),
    })
    const text = response.body
    return { status: response.statusCode, text, body: text === '' ? {} : (JSON.parse(text) as GrantAnswer['body']) }
  }
  return {
    ...built,
    services,
    refused,
    lines,
    ask,
    rows: () => store.reader<McpTables>().selectFrom('mcp_grants').selectAll().orderBy('id').execute(),
    events: async () => (await store.readStream(`mcp/${(await firstId(store)) ?? ''}`)).map(({ type }) => type),
    addServer: (name: string, spec: McpServerSpec, uid = `uid-${name}`) =>
      servers.set(name, {
        apiVersion: 'mesh.dev/v1alpha1',
        kind: McpServer.kind,
        metadata: { namespace: 'default', name, uid },
        spec,
      } as McpServerObject),
    removeServer: (name: string) => servers.delete(name),
  }
}

async function firstId(store: GrantServices['store']): Promise<string | undefined> {
  const row = await store.reader<McpTables>().selectFrom('mcp_grants').select('id').executeTakeFirst()
  return row?.id
}

async function readTestSession(request: Parameters<typeof stateOf>[0]): Promise<string | undefined> {
  const [, session, who] = /^(\w+)=(\w+)$/.exec(request.raw.headers.cookie ?? '') ?? []
  if (session === undefined) return undefined
  stateOf(request).sessionId = session
  return `${who}-token`
}

function callerOf(
  {
    servers,
    refused,
  }: { readonly servers: ReadonlyMap<string, McpServerObject>; readonly refused: ReadonlySet<string> },
  bearer: string,
): Caller {
  const username = bearer.replace(/-token$/, '')
  const may = async <V extends string, R extends string>(verb: V, resource: R, { namespace }: ReviewTarget) =>
    refused.has(`${username} ${verb} ${resource}`)
      ? undefined
      : ({ verb, resource, namespace, username } as Access<V, R>)
  return {
    username,
    bearer,
    may,
    review: async <V extends string, R extends string>(verb: V, resource: R, where: ReviewTarget) => {
      const access = await may(verb, resource, where)
      if (access === undefined) throw new KubeError(403, 'Forbidden', `${resource} is forbidden`)
      return access
    },
    whoami: async () => ({ username, uid: '', groups: [], extra: {} }),
    cluster: {
      get: async (_: unknown, { name }: { readonly name: string }) => {
        const found = servers.get(name)
        if (found === undefined) throw new KubeError(404, 'NotFound', `mcpservers "${name}" not found`)
        return found
      },
    },
  } as unknown as Caller
}

function logTo(lines: string[]): GrantServices['log'] {
  const write = (...given: readonly unknown[]): void => void lines.push(JSON.stringify(given))
  const log = { debug: write, info: write, warn: write, error: write, child: () => log }
  return log as unknown as GrantServices['log']
}
