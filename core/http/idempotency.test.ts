import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { createStore } from '#core/event-store/create-store.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { buildServer } from './testing/build-server.ts'

const httpMigrations = { name: 'http', migrations: new URL('./migrations/', import.meta.url) }

test('SEC18: a claim is kept while its request is in progress, however long that takes', async (t) => {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrate(database, [storeMigrations, httpMigrations])
  const began = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  let acts = 0
  const act = endpoint({
    method: 'POST',
    url: '/acts',
    summary: 'x',
    authz: { kind: 'review', verb: 'create', resource: 'runs', namespace: { in: 'cluster' } },
    idempotent: true,
    response: { 201: Type.Object({}) },
    handle: async () => {
      acts++
      began.resolve()
      await end.promise
      return {}
    },
  })
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { app } = await buildServer(t, [{ endpoints: [act] }], { store: createStore(database, { projections: [] }) })
  const send = () =>
    app.inject({
      method: 'POST',
      url: '/api/acts',
      headers: { authorization: 'Bearer good-token', 'idempotency-key': 'long' },
    })
  const first = send()
  await began.promise
  await sql`update idempotency set created_at = now() - interval '3 minutes'`.execute(database.root)
  t.mock.timers.tick(20_000)
  const isYoung = async (): Promise<boolean> => {
    const { rows } = await sql<{ young: boolean }>`
      select created_at > now() - interval '1 minute' as young from idempotency`.execute(database.root)
    return rows[0]?.young === true
  }
  // The renewal is a separate statement; without it the loop runs into the limit of the test.
  for (let round = 0; !(await isYoung()) && round < 200; round++) await new Promise(setImmediate)
  const repeated = await send()
  assert.deepEqual([repeated.statusCode, acts], [409, 1], repeated.body)
  end.resolve()
  assert.equal((await first).statusCode, 201)
  const replayed = await send()
  assert.deepEqual([replayed.statusCode, replayed.headers['idempotency-replayed'], acts], [201, 'true', 1])
})

test('R2-UX-21: a replayed response has the bytes of the first, with its final newline', async (t) => {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrate(database, [storeMigrations, httpMigrations])
  const act = endpoint({
    method: 'POST',
    url: '/acts',
    summary: 'x',
    authz: { kind: 'review', verb: 'create', resource: 'runs', namespace: { in: 'cluster' } },
    idempotent: true,
    response: { 201: Type.Object({ text: Type.String() }) },
    handle: async () => ({ text: 'caf\u00e9\n' }),
  })
  const { app } = await buildServer(t, [{ endpoints: [act] }], { store: createStore(database, { projections: [] }) })
  const headers = { authorization: 'Bearer good-token', 'idempotency-key': 'bytes' }
  const send = () => app.inject({ method: 'POST', url: '/api/acts', headers })
  const [first, replayed] = [await send(), await send()]
  assert.equal(replayed.headers['idempotency-replayed'], 'true')
  assert.deepEqual(replayed.rawPayload, first.rawPayload)
  assert.equal(first.body, '{"text":"caf\u00e9\\n"}\n')
  for (const { headers: given, rawPayload } of [first, replayed])
    assert.equal(given['content-length'], String(rawPayload.length))
})
