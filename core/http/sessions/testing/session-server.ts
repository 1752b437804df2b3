import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import type { CoreSettings } from '#core/config/core-settings.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import { endpoint } from '../../endpoint/endpoint.ts'
import { openEventStream } from '../../stream/event-stream.ts'
import { buildServer } from '../../testing/build-server.ts'
import type { BuildOptions } from '../../testing/build-server.ts'
import { createSessions } from '../create-sessions.ts'
import type { SessionsInput } from '../create-sessions.ts'
import type { SignInWays } from '../sign-in-ways.ts'

const httpMigrations = { name: 'http', migrations: new URL('../../migrations/', import.meta.url) }

/** Public address of the server. */
export const ORIGIN = 'http://127.0.0.1:8080'

/** Headers of a request that a page of the server sends. */
export const ownPage = {
  host: '127.0.0.1:8080',
  origin: ORIGIN,
  'sec-fetch-site': 'same-origin',
  'x-mesh-session': '1',
} as const

/** An empty database with the tables of sessions. */
export async function sessionDatabase(t: TestContext): Promise<Database> {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrate(database, [storeMigrations, httpMigrations])
  return database
}

interface ServerInput extends Pick<BuildOptions, 'cluster'> {
  readonly database?: Database
  readonly keys?: Keyring
  readonly settings?: Partial<CoreSettings['sessions']>
  readonly ways?: SignInWays
  readonly now?: () => Date
  readonly oidc?: SessionsInput['oidc']
}

const things = {
  url: '/things',
  summary: 'x',
  authz: { kind: 'bearer' },
} as const

const made = endpoint({ ...things, method: 'POST', response: { 201: Type.Object({}) }, handle: async () => ({}) })
const listed = endpoint({ ...things, method: 'GET', response: { 200: Type.Object({}) }, handle: async () => ({}) })
const events = endpoint({
  ...things,
  method: 'GET',
  url: '/things/events',
  stream: true,
  response: { 200: Type.String() },
  handle: async (call) => {
    const stream = openEventStream(call, { recheckMs: 20 })
    await stream.send('data: 1\n\n')
  },
})

/** A server with sessions, a route that reads, one that writes, and a stream. */
export async function startSessions(t: TestContext, input: ServerInput = {}) {
  const database = input.database ?? (await sessionDatabase(t))
  const store = createStore(database, { projections: [] })
  const { now = () => new Date(), ways = {}, settings = {} } = input
  const server = await buildServer(t, [{ endpoints: [made, listed, events] }], {
    store,
    ...(input.keys === undefined ? {} : { keys: input.keys }),
    ...(input.cluster === undefined ? {} : { cluster: input.cluster }),
    sessions: ({ keys, log, outcomes }) =>
      createSessions({
        services: { keys, log, outcomes, store },
        settings: { publicUrl: ORIGIN, idleMinutes: 60, absoluteHours: 8, ...settings },
        install: 'mesh',
        now,
        ways,
        oidc: input.oidc,
      }),
  })
  const { app } = server
  const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, more: Sent = {}) => {
    const { cookie, body, headers = ownPage } = more
    const response = await app.inject({
      method,
      url,
      headers: {
        ...headers,
        ...(cookie === undefined ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.statusCode, text: response.body, cookies: setCookies(response.headers['set-cookie']) }
  }
  return {
    ...server,
    send,
    signIn: async (token = 'good-token') => send('POST', '/session', { body: { token } }),
  }
}

interface Sent {
  readonly cookie?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

function setCookies(given: string | string[] | number | undefined): readonly string[] {
  return Array.isArray(given) ? given : given === undefined ? [] : [String(given)]
}

/** The `Cookie` header of a browser after these `Set-Cookie` headers. */
export function toCookie(set: readonly string[]): string {
  return set
    .filter((line) => !line.includes('Max-Age=0;'))
    .map((line) => line.split(';', 1)[0])
    .join('; ')
}
