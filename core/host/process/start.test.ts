import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connect } from '@nats-io/transport-node'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { jetstreamManager } from '@nats-io/jetstream'
import type { Role } from '#core/config/profile.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { openDatabase } from '#core/database/database.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { freePort } from '#test/harness/free-port.ts'
import { startNats } from '#test/harness/nats.ts'
import { execute, startPostgres, withDatabase } from '#test/harness/postgres.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { composeHost } from './compose-process.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { flowPlugins } from '../testing/flow/plugins.ts'

const servers = { ...needs('nats-server', 'initdb'), timeout: 480_000 }

const opened = (url: string, handle: () => Promise<unknown>) =>
  endpoint({
    method: 'GET',
    url,
    summary: 'x',
    authz: { kind: 'public', shownBy: 'anyone' },
    response: { 200: Type.Unknown() },
    handle,
  })

/** Routes that need the store, the bus, or nothing; requested without a cluster. */
const needy = definePlugin({
  contract: 1,
  name: 'needy',
  settings: Type.Object({}),
  create: (core) => core,
  gatewayRoutes: ({ store, bus }) => [
    opened('/v1/reads', async () => ({
      rows: await store?.reader<{ notes_list: { id: string } }>().selectFrom('notes_list').select('id').execute(),
    })),
    // Long enough that concurrent requests need a connection each.
    opened('/v1/slow-reads', async () => {
      if (store !== undefined) await sql`select pg_sleep(0.5)`.execute(store.reader())
      return {}
    }),
    opened('/v1/writes', async () => {
      await store?.transact((tx) => sql`delete from notes_list`.execute(tx.tables()))
      return {}
    }),
    opened('/v1/listens', async () => {
      await (await bus.listen('mesh.live.x', () => undefined)).stop()
      return {}
    }),
    opened('/v1/nothing', async () => ({})),
  ],
})
const plugins = [...flowPlugins.filter(({ name }) => name !== 'mirror'), needy]

type Env = Readonly<Record<string, string>>

/** Environment of a process; no request of these tests reaches the cluster. */
async function environment(t: TestContext, given: { DATABASE_URL: string; NATS_URL: string }): Promise<Env> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-start-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'token'), 'unused', { mode: 0o600 })
  return {
    ...given,
    MESH_CLUSTER_SERVER: `http://127.0.0.1:${await freePort()}`,
    MESH_CLUSTER_TOKEN_FILE: join(folder, 'token'),
    MESH_HOST: '127.0.0.1',
    MESH_BFF_PORT: '0',
    MESH_GATEWAY_PORT: '0',
    MESH_STATE_PORT: '0',
    MESH_ADMIN_PORT: '0',
  }
}

async function begin(t: TestContext, env: Env, role: Role) {
  const lines: string[] = []
  const composed = await composeHost({
    roles: [role],
    plugins,
    env,
    version: '0.0.0',
    log: createLogger({ destination: { write: (line) => lines.push(line) } }),
  })
  t.after(() => composed.close().catch(() => undefined))
  const started = composed.host.start()
  started.catch(() => undefined)
  const { host } = composed
  const ask = async (path: string) => {
    const answer = await fetch(`${host.addresses().admin}${path}`)
    return { status: answer.status, text: await answer.text() }
  }
  const readiness = (pattern: RegExp) =>
    eventually(async () => {
      assert.match((await ask('/readyz?verbose')).text, pattern, lines.join(''))
    })
  return { host, started, lines, ask, readiness, close: composed.close }
}

async function migrated(t: TestContext, env: Env): Promise<void> {
  const migrate = await begin(t, env, 'migrate')
  await migrate.started
  await migrate.close()
}

async function eventually(check: () => Promise<void>): Promise<void> {
  const end = Date.now() + 50_000
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > end) throw error
      await delay(25)
    }
  }
}

/** Appends notes like a writing role. Resolves with the number counted so far by the worker's consumer. */
async function log(t: TestContext, url: string) {
  const database = await openDatabase({ url })
  t.after(() => database.close())
  const notes = flowPlugins.find(({ name }) => name === 'notes')
  const [added] = notes?.events ?? []
  assert.ok(added)
  const store = createStore(database, { projections: [] })
  let n = 0
  return {
    write: async (count: number) => {
      for (let i = 0; i < count; i++) {
        const subject = { namespace: 'demo', kind: 'Note', name: `n${(n += 1)}` }
        await store.transact((tx) => tx.append(`notes/${n}`, 0, [{ type: added, subject, data: { text: 'x' } }]))
      }
    },
    counted: async () => {
      const row = await store
        .reader<{ tally_counts: { namespace: string; notes: number } }>()
        .selectFrom('tally_counts')
        .select('notes')
        .executeTakeFirst()
      return row?.notes ?? 0
    },
  }
}

const messagesIn = async (url: string): Promise<number> => {
  const connection = await connect({ servers: url })
  const { state } = await (await jetstreamManager(connection)).streams.info('MESH')
  await connection.close()
  return state.messages
}

test(
  'NATS away at start: the worker listens, names the bus and begins when it is there; nothing is lost',
  servers,
  async (t) => {
    const nats = await startNats(t)
    const secret = nats.url.replace('//', '//someone:pa55word@')
    const env = await environment(t, { DATABASE_URL: await createDatabase(t), NATS_URL: secret })
    await migrated(t, env)
    await nats.stop()
    const worker = await begin(t, env, 'worker')
    await worker.readiness(/\[-\]bus failed: NATS_URL: 127\.0\.0\.1:\d+ refused the connection\n/)
    const asked = await worker.ask('/readyz?verbose')
    assert.equal(asked.status, 503)
    assert.match(asked.text, /\[\+\]store ok/)
    assert.equal((await worker.ask('/livez')).status, 200)
    const events = await log(t, env['DATABASE_URL'] ?? '')
    await events.write(20)
    await nats.restart()
    await worker.started
    await eventually(async () => assert.equal(await events.counted(), 20))
    await eventually(async () => assert.equal(await messagesIn(nats.url), 20))
    assert.equal((await worker.ask('/readyz')).text, 'ok\n')

    // Killed while running: the relay continues at its cursor.
    await nats.kill9()
    await worker.readiness(/\[-\]bus failed/)
    assert.equal((await worker.ask('/readyz')).text, 'ok\n', 'PODA2: a shared outage leaves replicas in their Service')
    await eventually(async () =>
      assert.match((await worker.ask('/metrics')).text, /mesh_dependency_available\{dependency="bus"\} 0/),
    )
    await events.write(20)
    await nats.restart()
    await worker.readiness(/\[\+\]bus ok/)
    await eventually(async () => assert.equal(await messagesIn(nats.url), 40))
    await eventually(async () => assert.equal(await events.counted(), 40))

    const logged = worker.lines.join('')
    assert.doesNotMatch(logged + asked.text, /pa55word/)
    assert.equal(logged.match(/NATS not reachable/g)?.length, 2, logged)
    assert.equal(logged.match(/NATS reconnected/g)?.length, 2, logged)
    assert.equal(logged.match(/waiting for the bus/g)?.length, 1, logged)
  },
)

test('sizes of PostgreSQL: a process opens no more connections than databaseConnections', servers, async (t) => {
  const nats = await startNats(t)
  const url = await createDatabase(t)
  const env = await environment(t, { DATABASE_URL: url, NATS_URL: nats.url })
  await migrated(t, env)
  const gateway = await begin(t, { ...env, MESH_DATABASE_CONNECTIONS: '3' }, 'gateway')
  await gateway.started
  const reads = Array.from({ length: 8 }, () => fetch(`${gateway.host.addresses().gateway}/v1/slow-reads`))
  assert.ok((await Promise.all(reads)).every(({ status }) => status === 200))
  const database = await openDatabase({ url, connections: 1 })
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'mesh' and pid <> pg_backend_pid()`
    .execute(database.root)
    .finally(() => database.close())
  assert.deepEqual(rows, [{ count: 3 }])
})

test('requests that need what is not there yet get a clear 503, and are served when it is', servers, async (t) => {
  const nats = await startNats(t)
  const env = await environment(t, { DATABASE_URL: await createDatabase(t), NATS_URL: nats.url })
  await nats.stop()
  const gateway = await begin(t, env, 'gateway')
  await gateway.readiness(
    /\[-\]store failed: migrations missing: [^]*\[-\]bus failed: NATS_URL: 127\.0\.0\.1:\d+ refused/,
  )
  const ask = async (path: string) => {
    const answer = await fetch(`${gateway.host.addresses().gateway}${path}`)
    const { code } = (await answer.json()) as { code?: string }
    return [answer.status, code, answer.headers.get('retry-after')]
  }
  assert.deepEqual(await ask('/v1/reads'), [503, 'store_unavailable', '1'])
  assert.deepEqual(await ask('/v1/writes'), [503, 'store_unavailable', '1'])
  assert.deepEqual(await ask('/v1/listens'), [503, 'bus_unavailable', '1'])
  assert.deepEqual(await ask('/v1/nothing'), [200, undefined, null])
  await nats.restart()
  await migrated(t, env)
  await gateway.started
  for (const path of ['/v1/reads', '/v1/writes', '/v1/listens'])
    assert.deepEqual(await ask(path), [200, undefined, null])
})

test(
  'migrations missing at start: the worker waits for the role migrate and names what is missing',
  servers,
  async (t) => {
    const nats = await startNats(t)
    const env = await environment(t, { DATABASE_URL: await createDatabase(t), NATS_URL: nats.url })
    const worker = await begin(t, env, 'worker')
    await worker.readiness(/\[-\]store failed: migrations missing: store\/0001-log.*run the role migrate/)
    assert.equal((await worker.ask('/readyz')).status, 503)
    assert.equal((await worker.ask('/livez')).status, 200)
    await migrated(t, env)
    await worker.started
    const events = await log(t, env['DATABASE_URL'] ?? '')
    await events.write(3)
    await eventually(async () => assert.equal(await events.counted(), 3))
    assert.equal(worker.lines.join('').match(/migrations missing/g)?.length, 1, worker.lines.join(''))
  },
)

test(
  'PostgreSQL away at start: the worker names the store and begins when it is there; a signal ends the wait',
  servers,
  async (t) => {
    const nats = await startNats(t)
    const postgres = await startPostgres(t)
    const env = await environment(t, { DATABASE_URL: postgres.url, NATS_URL: nats.url })
    await migrated(t, env)
    await postgres.stop()
    const worker = await begin(t, env, 'worker')
    await worker.readiness(/\[-\]store failed: DATABASE_URL: 127\.0\.0\.1:\d+ refused the connection\n/)
    await postgres.restart()
    await worker.started
    await worker.close()

    await postgres.stop()
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('../testing/flow/process.ts', import.meta.url)), 'worker'],
      {
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    t.after(() => child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    const waiting = Promise.withResolvers<void>()
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      if (said.includes('waiting for the store')) waiting.resolve()
    })
    await Promise.race([waiting.promise, ended])
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null], said)
  },
)

test(
  'NATS away at start: what is in the log is handled by the sweep, before the bus was there once',
  servers,
  async (t) => {
    const nats = await startNats(t)
    const env = await environment(t, { DATABASE_URL: await createDatabase(t), NATS_URL: nats.url })
    await migrated(t, env)
    await nats.stop()
    const events = await log(t, env['DATABASE_URL'] ?? '')
    await events.write(7)
    const worker = await begin(t, env, 'worker')
    await eventually(async () => assert.equal(await events.counted(), 7))
    await worker.readiness(/\[\+\]store ok[^]*\[-\]bus failed: NATS_URL: /)
    await nats.restart()
    await worker.started
    await events.write(3)
    await eventually(async () => assert.equal(await events.counted(), 10))
    await worker.close()
    assert.doesNotMatch(worker.lines.join(''), /background work ended/)
  },
)

test(
  'a wrong password for NATS ends the start, at once or late, and names the host and not the password',
  servers,
  async (t) => {
    const nats = await startNats(t, { config: 'authorization { user: mesh, password: "right-one" }' })
    const at = (password: string) => nats.url.replace('//', `//mesh:${password}@`)
    const env = await environment(t, { DATABASE_URL: await createDatabase(t), NATS_URL: at('right-one') })
    await migrated(t, env)
    const wrong = { ...env, NATS_URL: at('wrong-one') }
    const refusal = { name: 'BusRefused', message: `NATS_URL: ${new URL(nats.url).host}: Authorization Violation` }
    for (const role of ['migrate', 'worker', 'gateway'] as const) await assert.rejects(begin(t, wrong, role), refusal)
    await nats.stop()
    const late = await begin(t, wrong, 'worker')
    await late.readiness(/\[-\]bus failed: NATS_URL: 127\.0\.0\.1:\d+ refused the connection\n/)
    await nats.restart()
    await assert.rejects(late.started, refusal)
    assert.doesNotMatch(late.lines.join(''), /wrong-one/)
  },
)

test(
  'a wrong password or name of the database ends the start, and names the host and not the password',
  servers,
  async (t) => {
    const rules = tempFolder('hba')
    t.after(rules.remove)
    chmodSync(rules.path, 0o755)
    const file = join(rules.path, 'pg_hba.conf')
    await writeFile(file, 'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n', {
      mode: 0o644,
    })
    const postgres = await startPostgres(t, { settings: { hba_file: file } })
    await execute(postgres.adminUrl, "create role mesh login superuser password 'right-one'")
    const as = (user: string, database = 'mesh') =>
      withDatabase(postgres.url, database).replace('postgres@', `${user}@`)
    const nats = await startNats(t)
    const env = await environment(t, { DATABASE_URL: as('mesh:right-one'), NATS_URL: nats.url })
    await migrated(t, env)
    const host = `127.0.0.1:${postgres.port}`
    const refusals = {
      [as('mesh:wrong-one')]: `DATABASE_URL: ${host}: password authentication failed for user "mesh" (28P01)`,
      [as('mesh:right-one', 'absent')]: `DATABASE_URL: ${host}: database "absent" does not exist (3D000)`,
      [as('unknown:wrong-one')]: `DATABASE_URL: ${host}: password authentication failed for user "unknown" (28P01)`,
    }
    for (const [url, message] of Object.entries(refusals))
      for (const role of ['migrate', 'worker', 'gateway'] as const) {
        const refused = await begin(t, { ...env, DATABASE_URL: url }, role)
        await assert.rejects(refused.started, { name: 'StoreRefused', message })
        assert.doesNotMatch(refused.lines.join(''), /wrong-one/)
      }
    await postgres.stop()
    const late = await begin(t, { ...env, DATABASE_URL: as('mesh:wrong-one') }, 'worker')
    await late.readiness(/\[-\]store failed: DATABASE_URL: 127\.0\.0\.1:\d+ refused the connection\n/)
    await postgres.restart()
    await assert.rejects(late.started, { name: 'StoreRefused' })
  },
)

test(
  'O3: what differs refuses to start, in the streams or in the database, also when it is found late',
  servers,
  async (t) => {
    const nats = await startNats(t)
    const env = await environment(t, { DATABASE_URL: await createDatabase(t), NATS_URL: nats.url })
    await migrated(t, env)
    const connection = await connect({ servers: nats.url })
    const manager = await jetstreamManager(connection)
    await manager.consumers.update('MESH', 'tally-count', { filter_subjects: ['mesh.v1.*.other.fact'] })
    await connection.close()
    await assert.rejects((await begin(t, env, 'worker')).started, /consumer tally-count: filter_subjects/)
    await nats.stop()
    const late = await begin(t, env, 'worker')
    await late.readiness(/\[-\]bus failed/)
    await nats.restart()
    await assert.rejects(late.started, /consumer tally-count: filter_subjects/)
    await execute(
      env['DATABASE_URL'] ?? '',
      "insert into mesh_migrations (source, name, breaking) values ('notes', '0999-later', true)",
    )
    await assert.rejects((await begin(t, env, 'worker')).started, /newer version.*notes\/0999-later/)
  },
)

test(
  'third parties: the role migrate refuses a table outside x_<name>_ and names plugin and table',
  servers,
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'mesh-acme-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    await mkdir(join(folder, 'steps'))
    await writeFile(join(folder, 'package.json'), '{"type": "module"}')
    await writeFile(join(folder, 'mesh.yaml'), 'plugins: [./acme.js]\n')
    await writeFile(
      join(folder, 'acme.js'),
      `import * as mesh from '@mesh.dev/mesh/plugin'
export default mesh.definePlugin({ contract: 1, name: 'acme', settings: mesh.Type.Object({}),
      migrations: new URL('./steps/', import.meta.url), create: () => ({}) })`,
    )
    const step = (table: string) =>
      `import { sql } from '@mesh.dev/mesh/plugin'
    export const breaking = false
    export const up = (db) => sql.raw('create table ${table} (id int)').execute(db)`
    await writeFile(join(folder, 'steps/0001-first.js'), step('x_acme_first'))
    await writeFile(join(folder, 'steps/0002-second.js'), step('notes_of_acme'))
    const nats = await startNats(t)
    const given = { DATABASE_URL: await createDatabase(t), NATS_URL: nats.url }
    const env = { ...(await environment(t, given)), MESH_CONFIG: join(folder, 'mesh.yaml') }
    await assert.rejects(migrated(t, env), /plugin acme: the migration 0002-second makes or changes notes_of_acme/)
  },
)

test('PODA14: the stream of a NATS that lost its store is made again, and no event is lost', servers, async (t) => {
  const nats = await startNats(t)
  const env = await environment(t, { DATABASE_URL: await createDatabase(t), NATS_URL: nats.url })
  await migrated(t, env)
  const events = await log(t, env['DATABASE_URL'] ?? '')
  const worker = await begin(t, env, 'worker')
  await worker.started
  await events.write(5)
  await eventually(async () => assert.equal(await events.counted(), 5))
  await eventually(async () => assert.equal(await messagesIn(nats.url), 5))
  await nats.wipe()
  await events.write(4)
  // For how long readiness is lost depends on the worker; that it lists the loss is the last test of this file.
  await eventually(async () => assert.match(worker.lines.join(''), /JetStream stream was missing, created again/))
  await worker.readiness(/\[\+\]bus ok/)
  await eventually(async () => assert.equal(await messagesIn(nats.url), 4))
  await eventually(async () => assert.equal(await events.counted(), 9))

  // A worker that starts after the loss does not wait for the role migrate.
  await worker.close()
  await nats.wipe()
  const next = await begin(t, env, 'worker')
  await next.started
  await events.write(3)
  await eventually(async () => assert.equal(await events.counted(), 12))
})

test('PODA14: on a new install the stream is made by the role migrate alone', servers, async (t) => {
  const nats = await startNats(t)
  const env = await environment(t, { DATABASE_URL: await createDatabase(t), NATS_URL: nats.url })
  await migrated(t, env)
  await nats.wipe()
  const worker = await begin(t, env, 'worker')
  await worker.readiness(/\[-\]bus failed: JetStream differs from the plan: the stream MESH is missing/)
  await eventually(async () => assert.match(worker.lines.join(''), /waiting for the streams/))
  assert.doesNotMatch(worker.lines.join(''), /created again/)
})

test('PODA14: without a worker that makes the stream again, readiness says that it is missing', servers, async (t) => {
  const nats = await startNats(t)
  const env = await environment(t, { DATABASE_URL: await createDatabase(t), NATS_URL: nats.url })
  await migrated(t, env)
  const gateway = await begin(t, env, 'gateway')
  await gateway.started
  await gateway.readiness(/\[\+\]bus ok/)
  await nats.wipe()
  await gateway.readiness(/\[-\]bus failed: JetStream differs from the plan: the stream MESH is missing/)
})
