import assert from 'node:assert/strict'
import test from 'node:test'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { deleteRuns } from '#plugins/runs/retention/delete-runs.ts'
import { openShares } from './testing/shares.ts'
import type { Journal } from './testing/shares.ts'

const journal: Journal = [
  ['message.started', { messageId: 'm1', role: 'assistant' }],
  ['message.finished', { messageId: 'm1', role: 'assistant', text: 'mail a@b.example' }],
  ['tool.started', { toolCallId: 't1', name: 'lookup', arguments: { q: 'canary' } }],
  ['tool.finished', { toolCallId: 't1', name: 'lookup', result: 'found', isError: false, durationMs: 3 }],
]

interface Created {
  readonly id: string
  readonly token: string
  readonly url: string
  readonly expiresAt: string
  readonly redaction: { readonly content: string; readonly reason: string | null }
}

const share = async (
  app: FastifyInstance,
  runId: string,
  payload: object = {},
  more: { readonly bearer?: string; readonly key?: string } = {},
) => {
  const { bearer = 'alice-token', key } = more
  const headers = { authorization: `Bearer ${bearer}`, ...(key === undefined ? {} : { 'idempotency-key': key }) }
  return app.inject({ method: 'POST', url: `/api/runs/${runId}/shares`, headers, payload })
}
const shared = async (app: FastifyInstance, runId: string, payload: object = {}, bearer = 'alice-token') => {
  const answer = await share(app, runId, payload, { bearer })
  assert.equal(answer.statusCode, 201, answer.body)
  return answer.json<Created>()
}
const read = (app: FastifyInstance, token: string, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url: `/api/shared/runs/${token}` })
const get = (app: FastifyInstance, url: string, bearer = 'alice-token', method: 'GET' | 'DELETE' = 'GET') =>
  app.inject({ method, url: `/api${url}`, headers: { authorization: `Bearer ${bearer}` } })

for (const { name, skip, open } of pluginAdapters) {
  test(
    `${name}: S5: links begin with sharing.publicUrl, or are paths, and never name the Host of a request`,
    { skip },
    async (t) => {
      for (const [some, begin] of [
        [{}, ''],
        [{ publicUrl: 'https://mesh.example/base/' }, 'https://mesh.example/base'],
      ] as const) {
        const { run, start } = await openShares(t, open, some)
        const { app } = await start()
        const { id } = await run(journal)
        const headers = {
          authorization: 'Bearer alice-token',
          host: 'evil.example',
          'x-forwarded-host': 'evil.example',
        }
        const answer = await app.inject({ method: 'POST', url: `/api/runs/${id}/shares`, headers, payload: {} })
        const { token, url } = answer.json<Created>()
        assert.deepEqual([answer.statusCode, url], [201, `${begin}/api/shared/runs/${token}`], answer.body)
      }
    },
  )

  test(`${name}: S1, S3, S5: a share shows what its creator read; its token is nowhere`, { skip }, async (t) => {
    const { run, start, database, world, cluster, metrics } = await openShares(t, open)
    const { app, lines } = await start()
    const one = await run(journal)
    const made = await shared(app, one.id)
    assert.match(made.token, /^mshr_[A-Za-z0-9_-]{43}$/)
    assert.equal(made.url, `/api/shared/runs/${made.token}`)
    assert.ok(Math.abs(Date.parse(made.expiresAt) - Date.now() - 7 * 86_400_000) < 600_000)
    cluster.asked.length = 0
    const first = await read(app, made.token)
    const body = first.json<{ run: Record<string, unknown>; tree: { root: object }; events: { kind: string }[] }>()
    assert.equal(first.statusCode, 200, first.body)
    assert.deepEqual([body.run['input'], body.run['output']], ['the question', 'the answer'])
    const kinds = body.events.map(({ kind }) => kind)
    assert.deepEqual(kinds.slice(-6), [...journal.map(([kind]) => kind), 'run.started', 'run.succeeded'])
    assert.match(JSON.stringify(body.tree), /"kind":"tool","name":"lookup"/)
    assert.doesNotMatch(first.body, /alice|blue|conversationId|traceId/)
    for (const [header, value] of [
      ['cache-control', 'no-store'],
      ['x-robots-tag', 'noindex'],
      ['referrer-policy', 'no-referrer'],
    ] as const)
      assert.equal(first.headers[header], value)
    assert.deepEqual(cluster.asked, [], 'no call to the cluster')
    await sql`update runs_content set output = '"changed"' where run_id = ${one.id}`.execute(database.root)
    assert.equal((await read(app, made.token)).body, first.body, 'immutable')
    const { rows } = await sql<{ name: string }>`select relname as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace`.execute(database.root)
    const forms = [made.token.slice(5), Buffer.from(made.token).toString('hex')]
    for (const { name: table } of rows)
      for (const form of forms) {
        const holds = sql`select 1 from ${sql.table(table)} x where x::text like ${`%${form}%`}`
        assert.equal((await holds.execute(database.root)).rows.length, 0, table)
      }
    for (const where of [lines.join(''), await metrics.render()]) assert.ok(!where.includes(made.token.slice(5)))
    const events = await world.store.readStream(`sharing/${made.id}`)
    assert.deepEqual(
      events.map(({ data }) => data),
      [{ shareId: made.id, runId: one.id, expiresAt: made.expiresAt, maxViews: null, content: 'full' }],
    )
  })

  test(`${name}: S2, S4: what shows nothing has one answer, in every replica`, { skip }, async (t) => {
    const { run, start, database, deliver, world } = await openShares(t, open)
    const { app } = await start()
    const { app: other } = await start()
    const [one, two, three] = [await run(), await run(), await run()]
    const [revoked, expired, used] = [
      await shared(app, one.id),
      await shared(app, one.id),
      await shared(app, one.id, { maxViews: 1 }),
    ]
    const [ofRun, ofNamespace] = [await shared(app, two.id), await shared(app, three.id)]
    const tokens = [revoked, expired, used, ofRun, ofNamespace].map(({ token }) => token)
    for (const token of tokens) assert.equal((await read(other, token)).statusCode, 200)
    assert.equal((await get(app, `/runs/${one.id}/shares/${revoked.id}`, 'alice-token', 'DELETE')).statusCode, 204)
    await sql`update sharing_shares set expires_at = clock_timestamp() where id = ${expired.id}`.execute(database.root)
    await world.store.transact((tx) => deleteRuns(tx, [two.id], { name: 'test', kind: 'controller' }))
    await deliver([two.id])
    const malformed = [
      'x',
      'mshr_',
      `${revoked.token}x`,
      revoked.token.toUpperCase(),
      '%00',
      '%zz',
      '%ED%A0%80',
      'a'.repeat(3_000),
    ]
    const unknown = `mshr_${'A'.repeat(43)}`
    const shapesOf = async (texts: readonly string[]): Promise<readonly string[]> => {
      const answers = await Promise.all(texts.flatMap((token) => [read(app, token), read(other, token)]))
      return answers.map(({ statusCode, body, headers }) => {
        const fixed = Object.entries(headers).filter(([header]) => header !== 'date' && header !== 'x-request-id')
        return JSON.stringify([statusCode, body, fixed.toSorted()])
      })
    }
    const shapes = [...(await shapesOf([unknown, ...tokens.slice(0, -1), ...malformed]))]
    assert.equal((await read(other, ofNamespace.token)).statusCode, 200)
    await sql`update object_index set deleted_at = now()`.execute(database.root)
    shapes.push(...(await shapesOf([ofNamespace.token])))
    assert.equal(new Set(shapes).size, 1, [...new Set(shapes)].join('\n'))
    assert.match(shapes[0] ?? '', /^\[404,.*not_found/)
    assert.doesNotMatch(shapes[0] ?? '', /traceId|instance/)
    assert.equal((await read(app, 'x', 'HEAD')).statusCode, 404)
    const odd = await read(app, `${ofRun.token}?view=1`)
    assert.equal(odd.statusCode, 400)
    assert.ok(!odd.body.includes(ofRun.token.slice(5)), 'S5: no error has the token')
  })

  test(`${name}: maxViews holds for concurrent reads; HEAD is none`, { skip }, async (t) => {
    const { run, start } = await openShares(t, open)
    const { app } = await start()
    const { id } = await run()
    const { token } = await shared(app, id, { maxViews: 3 })
    for (let n = 0; n < 4; n++) assert.equal((await read(app, token, 'HEAD')).statusCode, 200)
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await read(app, token)).statusCode))
    assert.deepEqual(statuses.toSorted(), [200, 200, 200, ...Array.from({ length: 7 }, () => 404)])
    const [listed] = (await get(app, `/runs/${id}/shares`)).json<{ items: { views: number; maxViews: number }[] }>()
      .items
    assert.deepEqual([listed?.views, listed?.maxViews], [3, 3])
  })

  test(`${name}: O6: a repeat with the same key has the same share, and its token works`, { skip }, async (t) => {
    const { run, start, database } = await openShares(t, open)
    const { app } = await start()
    const { id } = await run()
    const first = await share(app, id, {}, { key: 'k' })
    const again = await share(app, id, {}, { key: 'k' })
    assert.deepEqual([again.body, again.headers['idempotency-replayed']], [first.body, 'true'])
    assert.equal(
      (await share(app, id, { maxViews: 1 }, { key: 'k' })).json<{ code: string }>().code,
      'idempotency_conflict',
    )
    // As after a process that ended before its answer was stored: the token reached no client.
    await sql`delete from idempotency`.execute(database.root)
    const lost = first.json<Created>()
    const made = (await share(app, id, {}, { key: 'k' })).json<Created>()
    assert.deepEqual([made.id, made.token === lost.token], [lost.id, false])
    assert.deepEqual([(await read(app, made.token)).statusCode, (await read(app, lost.token)).statusCode], [200, 404])
    await sql`delete from idempotency`.execute(database.root)
    assert.equal((await share(app, id, { maxViews: 2 }, { key: 'k' })).statusCode, 409)
    await sql`update sharing_shares set created_at = now() - interval '24 hours'`.execute(database.root)
    assert.notEqual((await share(app, id, {}, { key: 'k' })).json<Created>().id, lost.id, 'the key has expired')
  })

  test(`${name}: F10: run and namespace have quotas, which say their setting`, { skip }, async (t) => {
    const { run, start, usage, metrics } = await openShares(t, open, { sharesPerRun: 2, sharesPerNamespace: 3 })
    const { app } = await start()
    const [one, two] = [await run(), await run()]
    const refused = async (runId: string) => {
      const { statusCode, body } = await share(app, runId)
      assert.equal(statusCode, 429, body)
      const { code, detail } = JSON.parse(body) as { code: string; detail: string }
      return `${code}: ${detail}`
    }
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => share(app, one.id)))
    assert.deepEqual(outcomes.map(({ statusCode }) => statusCode).toSorted(), [201, 201, 429, 429, 429])
    assert.match(await refused(one.id), /^share_quota_exceeded: .*sharing\.sharesPerRun/)
    const third = await shared(app, two.id)
    assert.match(await refused(two.id), /sharing\.sharesPerNamespace/)
    assert.equal((await usage())?.[0], 3, 'a refused share counts nothing')
    assert.match(await metrics.render(), /mesh_sharing_shares_total\{outcome="refused"\} 5/)
    await get(app, `/runs/${two.id}/shares/${third.id}`, 'alice-token', 'DELETE')
    assert.equal((await usage())?.[0], 2, 'a revoked share counts no more')
  })

  test(`${name}: F10: stored bytes of a namespace and of a run are bounded`, { skip }, async (t) => {
    const { run, start, usage, database } = await openShares(t, open, {
      snapshotBytes: 65_536,
      storedBytesPerNamespace: 65_536,
    })
    const { app } = await start()
    const long = Array.from({ length: 40 }, (_, n): Journal[number] => [
      'message.finished',
      { messageId: `m${n}`, role: 'assistant', text: 'x'.repeat(2_000) },
    ])
    const one = await run(long)
    const { token } = await shared(app, one.id)
    const body = (await read(app, token)).json<{ truncated: boolean; events: object[] }>()
    assert.ok(body.truncated && body.events.length > 5 && body.events.length < 20, String(body.events.length))
    const [, bytes = 0] = (await usage()) ?? []
    assert.ok(bytes > 20_000 && bytes <= 66_000, String(bytes))
    await shared(app, one.id)
    assert.match((await share(app, one.id)).body, /sharing\.storedBytesPerNamespace/)
    const two = await run()
    await sql`update runs_content set output = ${JSON.stringify('y'.repeat(70_000))} where run_id = ${two.id}`.execute(
      database.root,
    )
    const large = await share(app, two.id)
    assert.deepEqual([large.statusCode, large.json<{ code: string }>().code], [422, 'run_too_large'])
    assert.match(large.body, /sharing\.snapshotBytes/)
    const bare = await share(app, two.id, { redaction: { content: 'none' } })
    assert.notEqual(bare.json<{ code?: string }>().code, 'run_too_large')
  })

  test(`${name}: my/shares has the caller's own shares, where the caller may still get runs`, { skip }, async (t) => {
    const { run, start, cluster } = await openShares(t, open)
    const { app } = await start()
    const { id } = await run()
    const mine: string[] = []
    for (let n = 0; n < 5; n++) mine.unshift((await shared(app, id)).id)
    await shared(app, id, {}, 'bob-token')
    const page = async (query = '', bearer = 'alice-token') =>
      (await get(app, `/my/shares${query}`, bearer)).json<{ items: { id: string }[]; nextCursor: string | null }>()
    const ids = async (...args: Parameters<typeof page>) => (await page(...args)).items.map((item) => item.id)
    assert.deepEqual(await ids(), mine)
    assert.equal((await ids('', 'bob-token')).length, 1)
    const first = await page('?limit=3')
    assert.deepEqual(
      first.items.map((item) => item.id),
      mine.slice(0, 3),
    )
    const cursor = encodeURIComponent(first.nextCursor ?? '')
    const second = await page(`?limit=2&cursor=${cursor}`)
    assert.deepEqual([second.items.map((item) => item.id), second.nextCursor], [mine.slice(3), null])
    const stolen = await get(app, `/my/shares?cursor=${cursor}`, 'bob-token')
    assert.deepEqual([stolen.statusCode, stolen.json<{ code: string }>().code], [400, 'invalid_cursor'])
    cluster.refused.add('alice get runs')
    assert.deepEqual(await ids(), [])
  })

  test(
    `${name}: a run that the caller may not get is unknown; a missing verb is the cluster's 403`,
    { skip },
    async (t) => {
      const { run, start, cluster, usage } = await openShares(t, open)
      const { app } = await start()
      const { id } = await run()
      const made = await shared(app, id)
      const paths = [`/runs/${id}/shares`, `/runs/${id}/shares/${made.id}`] as const
      const statuses = async () => [
        (await share(app, id)).statusCode,
        (await get(app, paths[0])).statusCode,
        (await get(app, paths[1], 'alice-token', 'DELETE')).statusCode,
      ]
      for (const verb of ['create', 'list', 'delete']) cluster.refused.add(`alice ${verb} runshares`)
      assert.deepEqual(await statuses(), [403, 403, 403])
      cluster.refused.add('alice get runs')
      assert.deepEqual(await statuses(), [404, 404, 404])
      cluster.refused.clear()
      for (const [run_, share_] of [
        [uuidV7(), made.id],
        ['nonsense', made.id],
        [id, uuidV7()],
        [id, 'x'],
        [(await run()).id, made.id],
      ] as const)
        assert.equal(
          (await get(app, `/runs/${run_}/shares/${share_}`, 'alice-token', 'DELETE')).statusCode,
          404,
          share_,
        )
      assert.equal((await usage())?.[0], 1)
    },
  )

  test(`${name}: F9: hostile requests for shares are refused by the field`, { skip }, async (t) => {
    const { run, start, usage } = await openShares(t, open)
    const { app } = await start()
    const { id } = await run()
    const cases: readonly (readonly [object, string])[] = [
      [{ expiresIn: '31d' }, '/expiresIn'],
      [{ expiresIn: '60d' }, '/expiresIn'],
      [{ expiresIn: '59s' }, '/expiresIn'],
      [{ expiresIn: '1\u0000d' }, '/expiresIn'],
      [{ maxViews: 0 }, '/maxViews'],
      [{ maxViews: 2 ** 31 }, '/maxViews'],
      [{ maxViews: 1.5 }, '/maxViews'],
      [{ redaction: { redact: ['(canary'] } }, '/redaction/redact/0'],
      [{ redaction: { redact: ['email', 'a\ud800'] } }, '/redaction/redact/1'],
      [{ redaction: { redact: Array.from({ length: 17 }, () => 'email') } }, '/redaction/redact'],
      [{ redaction: { content: 'some' } }, '/redaction/content'],
      [{ extra: 1 }, '/extra'],
    ]
    for (const [payload, pointer] of cases) {
      const { statusCode, body } = await share(app, id, payload)
      const [error] = (JSON.parse(body) as { errors?: { pointer: string }[] }).errors ?? []
      assert.deepEqual([statusCode, error?.pointer], [400, pointer], body)
      assert.doesNotMatch(body, /canary/)
    }
    assert.equal(await usage(), undefined)
  })
}
