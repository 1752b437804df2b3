import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import test from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { listen } from '#test/harness/listen.ts'
import { startNats } from '#test/harness/nats.ts'
import { composeHost } from '../process/compose-process.ts'
import { flowPlugins } from '../testing/flow/plugins.ts'
import { runForTest } from '../testing/run-command.ts'

const server = 'http://127.0.0.1:9'
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runForTest('rebuild', args, { env: { MESH_CLUSTER_SERVER: server, ...env }, plugins: flowPlugins })

test('CON13: mesh rebuild names the argument that is wrong, and the setting that is missing', async () => {
  for (const [args, text] of [
    [[], /PROJECTION is required/],
    [[''], /PROJECTION: must not be empty/],
    [['notes.list', 'more'], /unknown argument "more"/],
    [['notes.list', '\0\ud800'], /unknown argument "/],
    [['--version', '1'], /unknown option "--version"/],
  ] as const) {
    const { code, out, err } = await run(args, { DATABASE_URL: 'postgres://localhost/none' })
    assert.deepEqual([code, out], [2, ''], JSON.stringify(args))
    assert.match(err, text)
    assert.match(err, /usage: mesh rebuild PROJECTION\n/)
  }
  const { code, err } = await run(['notes.list'])
  assert.equal(code, 1)
  assert.match(err, /^mesh: DATABASE_URL: required by this command\n$/)
})

test(
  'CON13: mesh rebuild fills a projection again beside a role, migrate one of an older version; an unknown name and a database without tables are refused',
  needs('postgres', 'initdb', 'nats-server'),
  async (t) => {
    const url = await createDatabase(t)
    const nats = await startNats(t)
    const database = await openDatabase({ url })
    t.after(() => database.close())
    const env = {
      DATABASE_URL: url,
      NATS_URL: nats.url,
      MESH_LISTEN_HOST: '127.0.0.1',
      MESH_CONFIG: '',
    }
    const cluster = { server, tls: {}, bearerOf: () => undefined }
    const base = {
      plugins: flowPlugins,
      env,
      version: '0.0.0',
      cluster,
      mayMovePorts: true,
      log: createLogger({ destination: { write: () => undefined } }),
    }
    const missing = await run(['notes.list'], env)
    assert.equal(missing.code, 1)
    assert.match(missing.err, /migrations missing: .*run the role migrate/)

    const migrate = async (): Promise<void> => {
      const composed = await composeHost({ ...base, roles: ['migrate'] })
      await composed.host.start().finally(() => composed.close())
    }
    await migrate()
    const stray = sql`insert into notes_list values ('stray', 'demo', 'written by a defect')`
    await stray.execute(database.root)
    assert.deepEqual(await run(['notes.list'], env), {
      code: 0,
      out: 'rebuilt: notes.list from 0 events\n',
      err: '',
    })
    assert.deepEqual((await sql`select * from notes_list`.execute(database.root)).rows, [])
    await stray.execute(database.root)
    // As in a pod, where `kubectl exec` runs it beside a role.
    const taken = new URL(await listen(t, createServer())).port
    const beside = await run(['notes.list'], { ...env, MESH_LIVENESS_PORT: taken })
    assert.deepEqual([beside.code, beside.err], [0, ''], 'the role of its pod has the port of liveness')
    await stray.execute(database.root)
    await sql`update projection_versions set version = 0`.execute(database.root)
    await migrate()
    assert.deepEqual((await sql`select * from notes_list`.execute(database.root)).rows, [])
    await sql`update projection_versions set version = 2`.execute(database.root)
    await assert.rejects(migrate(), /projection notes\.list has version 2 .* run mesh rebuild notes\.list/)
    const unknown = await run(['notes.lists'], env)
    assert.deepEqual([unknown.code, unknown.out], [2, ''])
    assert.match(unknown.err, /^mesh: PROJECTION: unknown projection "notes\.lists"; did you mean notes\.list\?/)
  },
)
