import assert from 'node:assert/strict'
import { createObserved } from '#core/cluster/observed-objects.ts'
import { buildServer, DENIED } from '#core/http/testing/build-server.ts'
import type { AuditEvent } from '#schemas/api/audit.ts'
import { createAudit } from '../audit-log.ts'
import { auditRoutes } from '../routes.ts'
import type { AuditRow } from '../rows/audit-row.ts'
import type { AuditTables } from '../contract/tables.ts'
import { writeRows } from '../store/write-rows.ts'
import { check, rowOf, trace } from '../testing/rig.ts'
import type { Page } from '../testing/rig.ts'
import { auditLines } from './audit-lines.ts'

const rights = { actor_kind: ['user', 'controller', 'system'], source: ['controller', 'bff'] } as const

check('filters by name, trace, kind of actor and source have the pages of the whole list', async (rig, t) => {
  const at = Date.now() - 3_600_000
  // Ten rows of an instant; two of their filters have few values.
  const rows = Array.from({ length: 120 }, (_, n): AuditRow => {
    const actorKind = rights.actor_kind[n % 3] ?? 'user'
    const source = n % 7 === 0 ? 'bff' : 'controller'
    const own = { resource_name: `name-${n % 5}`, trace_id: n % 10 === 3 ? trace : null }
    return { ...rowOf(n, new Date(at - Math.floor(n / 10))), actor_kind: actorKind, source, ...own }
  })
  await rig.store.transact((tx) => writeRows(tx.tables<AuditTables>(), rows, 90))
  const { app } = await buildServer(t, [
    { endpoints: [auditRoutes(createAudit(rig.store, 90), createObserved(rig.store))] },
  ])
  const get = async (query: string) => {
    const answer = await app.inject({ url: `/api/audit?${query}`, headers: { authorization: 'Bearer good-token' } })
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json<Page>()
  }
  const all = (await get('limit=200')).items
  const same = async (query: string, holds: (row: AuditEvent) => boolean): Promise<number> => {
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await get(`${query}&limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`)
      found.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    }
    const wanted = all.filter((row) => holds(row as AuditEvent)).map(({ id }) => id)
    assert.deepEqual(found, wanted, query)
    return found.length
  }
  assert.equal(await same('resource_name=name-2', (row) => row.resource_name === 'name-2'), 24)
  assert.equal(await same(`trace_id=${trace}`, (row) => row.trace_id === trace), 12)
  assert.equal(await same('actor_kind=user', (row) => row.actor_kind === 'user'), 40)
  assert.equal(await same('source=bff', (row) => row.source === 'bff'), 18)
  const both = (row: AuditEvent): boolean => row.source === 'bff' && row.actor_kind === 'system'
  assert.equal(await same('source=bff&actor_kind=system', both), 6)
  for (const bad of [
    'actor_kind=odd',
    'source=db',
    `trace_id=${trace.toUpperCase()}`,
    'resource_name=',
    'trace_id=a%00',
  ])
    assert.equal(
      (await app.inject({ url: `/api/audit?${bad}`, headers: { authorization: 'Bearer good-token' } })).statusCode,
      400,
      bad,
    )
})

check(
  'an export has each row of its range once, as JSON lines and as CSV that no spreadsheet executes',
  async (rig, t) => {
    const at = Date.now() - 3_600_000
    const hostile = '=HYPERLINK("https://evil.example","\u00fcber,all")'
    const rows = Array.from({ length: 1_203 }, (_, n): AuditRow => {
      const name = n === 5 ? hostile : `name-${n}`
      return { ...rowOf(n, new Date(at + Math.floor(n / 10))), resource_name: name, detail: { note: name } }
    })
    for (let start = 0; start < rows.length; start += 500)
      await rig.store.transact((tx) => writeRows(tx.tables<AuditTables>(), rows.slice(start, start + 500), 90))
    const { app } = await buildServer(t, [
      { endpoints: [auditRoutes(createAudit(rig.store, 90), createObserved(rig.store))] },
    ])
    const range = `from=${new Date(at).toISOString()}&to=${new Date(at + 100).toISOString()}`
    const get = (query: string, token = 'good-token') =>
      app.inject({ url: `/api/audit/export?${query}`, headers: { authorization: `Bearer ${token}` } })
    const lines = await get(`${range}&namespace=demo`)
    assert.equal(lines.headers['content-type'], 'application/x-ndjson; charset=utf-8')
    assert.equal(lines.headers['content-disposition'], 'attachment; filename="audit.ndjson"')
    const events = lines.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEvent)
    assert.equal(events.length, 1_000)
    assert.equal(new Set(events.map(({ id }) => id)).size, 1_000)
    assert.deepEqual(
      events.map(({ occurred_at: time }) => time),
      events
        .map(({ occurred_at: time }) => time)
        .toSorted()
        .toReversed(),
    )
    const csv = (await get(`${range}&format=csv`)).body.split('\r\n')
    assert.match(csv[0] ?? '', /^id,occurred_at,source,actor,actor_exact,actor_kind,action,/)
    assert.equal(csv.length, 1_002, 'a header, a line a row, and the end of the last line')
    const odd = csv.find((line) => line.includes('HYPERLINK')) ?? ''
    assert.match(odd, /,"'=HYPERLINK\(""https/)
    assert.doesNotMatch(odd, /,"?=/)
    for (const [query, pointer] of [
      ['', '?from'],
      [`from=${new Date(at).toISOString()}`, '?to'],
      ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', '?to'],
      ['from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', '?to'],
      ['from=2016-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', '?from'],
      ['from=2026-99-01T00:00:00Z&to=2026-01-01T00:00:00Z', '?from'],
      [`${range}&format=xml`, '?format'],
      [`${range}&limit=1`, '?limit'],
    ] as const) {
      const { statusCode, body } = await get(query)
      const errors = (JSON.parse(body) as { errors: { pointer: string }[] }).errors
      assert.deepEqual([statusCode, errors[0]?.pointer], [400, pointer], query)
    }
    assert.equal((await get(range, DENIED)).statusCode, 403)
    assert.equal((await app.inject({ url: `/api/audit/export?${range}` })).statusCode, 401)
  },
)

check('an export reads a page when the reader asks for it', async () => {
  let reads = 0
  const row = { id: 'x', occurred_at: '2026-01-01T00:00:00.000Z' } as AuditEvent
  const lines = auditLines(async (_after, limit) => {
    reads += 1
    return Array.from({ length: limit }, () => row)
  }, 'ndjson')
  for (const wanted of [1, 2, 3]) {
    await lines.next()
    assert.equal(reads, wanted)
  }
  await lines.return(undefined)
  assert.equal(reads, 3)
})
