import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { Database } from '#core/database/database.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { readRunsOfTraces } from '#plugins/runs/store/runs-of-traces.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import type { TraceOverview } from '#schemas/api/traces.ts'
import { up } from '../migrations/0002-summaries.ts'
import type { TracesServices } from '../services/create-services.ts'
import { removeSpansOfRuns } from '../store/remove-spans.ts'
import { exportOf, openSpans, robot, spanId, spanOf } from '../testing/spans.ts'
import { listPart } from './list-traces.ts'

type Listed = Static<typeof TraceOverview>

const nanos = (time: number): string => String(BigInt(time) * 1_000_000n)
const base = Date.now() - 60_000
const at = (from: number, to: number) => ({
  startTimeUnixNano: nanos(base + from),
  endTimeUnixNano: nanos(base + to),
})
const traceOf = (n: number): string => (n + 1).toString(16).padStart(32, 'a')
const quarter = { amount: '0.25', currency: 'USD' }
const error = { status: { code: 2 } }
const ofAgent = { attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } }] }

async function openList(t: TestContext, open: (t: TestContext) => Promise<Database>) {
  const spans = await openSpans(t, open)
  const db = spans.store.reader<RunsTables>()
  const services = {
    core: { store: spans.store },
    settings: { adapter: 'builtin' },
    runs: {
      ofTraces: (...[access, ids]: Parameters<TracesServices['runs']['ofTraces']>) => readRunsOfTraces(db, access, ids),
    },
  } as unknown as TracesServices
  const { app } = await buildServer(t, [{ endpoints: [listPart(services)] }])
  const ask = (query: string, bearer = 'good-token') =>
    app.inject({
      url: `/api/traces?${query === '' ? '' : `${query}&`}namespace=default`,
      headers: { authorization: `Bearer ${bearer}` },
    })
  const list = async (query = '') => {
    const response = await ask(query)
    assert.equal(response.statusCode, 200, response.body)
    return response.json<{ items: readonly Listed[]; nextCursor: string | null }>()
  }
  return { ...spans, ask, list }
}

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: a trace is one row, whatever the order of its spans`, { skip }, async (t) => {
    const { database, run, send, list } = await openList(t, open)
    const { id, trace_id: traceId } = await run()
    await sql`insert into runs_costs (run_id, calls, unpriced, answered, metered, micros, currency, mixed, reported, own_reports)
      values (${id}, 1, 0, 1, true, 250000, 'USD', false, 1, 0)`.execute(database.root)
    const of = (n: number, fields: object) => exportOf(spanOf(traceId, spanId(n), fields))
    await send(of(3, { name: 'tool', parentSpanId: spanId(1), ...at(20, 30), ...error }))
    const [early] = (await list()).items
    assert.deepEqual([early?.name, early?.status, early?.errors], ['tool', 'unset', 1], 'no outer span has arrived')
    await send(of(2, { name: 'run', parentSpanId: 'f'.repeat(16), ...at(40, 90), ...ofAgent, ...error }))
    await send(of(1, { name: 'run', parentSpanId: 'f'.repeat(16), ...at(0, 35), ...ofAgent }))
    const { items } = await list()
    assert.deepEqual(items, [
      {
        traceId,
        namespace: 'default',
        agent: 'robot',
        name: 'run',
        kind: 'internal',
        service: 'py',
        spanId: spanId(1),
        status: 'error',
        startedAt: new Date(base).toISOString(),
        durationMs: 90,
        spans: 3,
        errors: 2,
        runId: id,
        costs: { cost: quarter, treeCost: quarter, unpricedCalls: 0, pendingCalls: 0 },
      },
    ])
    await send(of(4, { name: 'own', ...at(50, 60) }))
    const [own] = (await list()).items
    assert.deepEqual(
      [own?.name, own?.spanId, own?.status],
      ['own', spanId(4), 'error'],
      'a span without a parent is the root',
    )
  })

  test(`${name}: traces are filtered and paged, those without a run, too`, { skip }, async (t) => {
    const { send, list, ask } = await openList(t, open)
    for (let n = 0; n < 5; n++) {
      const fields = {
        name: `job ${n % 2}`,
        ...at(n * 1000, n * 1000 + (n === 3 ? 900 : 5)),
        ...(n === 4 ? error : {}),
      }
      await send(
        exportOf(spanOf(traceOf(n), spanId(n), fields)),
        n === 0 ? { ...robot, name: 'other', uid: 'uid-2' } : robot,
      )
    }
    const found = async (query: string) => (await list(query)).items.map(({ traceId }) => traceId)
    const traces = (...all: readonly number[]) => all.map(traceOf)
    assert.deepEqual(await found(''), traces(4, 3, 2, 1, 0))
    assert.ok((await list()).items.every(({ runId, costs }) => runId === null && costs === null))
    assert.deepEqual(await found('status=error'), traces(4))
    assert.deepEqual(await found('agent=other'), traces(0))
    assert.deepEqual(await found('name=job%201'), traces(3, 1))
    assert.deepEqual(await found('minDuration=500ms'), traces(3))
    const time = (offset: number) => new Date(base + offset).toISOString()
    assert.deepEqual(await found(`from=${time(1000)}&to=${time(3000)}`), traces(2, 1))
    const pages: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Awaited<ReturnType<typeof list>> = await list(
        `limit=2${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      pages.push(...page.items.map(({ traceId }) => traceId))
      cursor = page.nextCursor
    }
    assert.deepEqual(pages, traces(4, 3, 2, 1, 0))
    assert.equal((await ask('', 'denied-token')).statusCode, 403)
    assert.equal((await ask('', 'rejected-token')).statusCode, 401)
    for (const [query, pointer] of [
      [`from=${time(1)}&to=${time(1)}`, '?to'],
      [`from=${time(2)}&to=${time(1)}`, '?to'],
      ['from=yesterday', '?from'],
      ['minDuration=1000000d', '?minDuration'],
      ['minDuration=-1', '?minDuration'],
      ['status=failed', '?status'],
      [`name=${'x'.repeat(300)}`, '?name'],
      ['limit=1e9', '?limit'],
    ] as const) {
      const response = await ask(query)
      assert.equal(response.statusCode, 400, query)
      assert.match(response.body, new RegExp(`"pointer":"\\${pointer}"`), query)
    }
    for (const hostile of ['name=a%00b', 'name=%ED%A0%80', 'agent=%27%20or%201=1', 'name=a&name=b'])
      assert.ok([200, 400].includes((await ask(hostile)).statusCode), hostile)
  })

  test(`${name}: summaries end with their spans, and are made for spans of earlier versions`, { skip }, async (t) => {
    const { database, store, send, list } = await openList(t, open)
    const strange = { name: 'a\0b\ud800', attributes: [{ key: 'k\0', value: { stringValue: '\ud800\0' } }] }
    for (const n of [0, 1]) {
      await send(exportOf(spanOf(traceOf(n), spanId(3), { ...strange, parentSpanId: spanId(2), ...at(7, 8) })))
      await send(
        exportOf(spanOf(traceOf(n), spanId(2), { ...ofAgent, ...error, parentSpanId: spanId(1), ...at(n, 9) })),
      )
    }
    const before = await list()
    assert.equal(before.items[0]?.durationMs, 8)
    await sql`drop table traces_summaries`.execute(database.root)
    await up(database.root)
    assert.deepEqual(await list(), before, 'the migration and the requests agree')
    await store.transact((tx) => removeSpansOfRuns(tx, { runIds: [], traceIds: [], over: [traceOf(1)] }))
    assert.deepEqual((await list()).items, before.items.slice(1))
  })
}
