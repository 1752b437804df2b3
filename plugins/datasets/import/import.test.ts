import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { selectLiveCases } from '../store/cases.ts'
import { serveDatasets } from '../testing/dataset-rig.ts'

const csv = { type: 'text/csv' }
const ndjson = { type: 'application/x-ndjson' }

interface Problem {
  readonly code: string
  readonly detail: string
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[]
}

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: JSON, CSV and NDJSON are imported, and a repeat changes nothing`, { skip }, async (t) => {
    const { send } = await serveDatasets(t, open)
    await send('PUT', '/d', {})
    const json = await send('POST', '/d/cases/import', {
      cases: [{ id: 'a', input: [1], expected: null }, { input: 'x' }],
    })
    assert.deepEqual([json.status, json.json()], [200, { created: 2, updated: 0, unchanged: 0 }], json.body)
    const lines = '{"id":"a","input":[1],"expected":null}\n\n{"id":"b","input":{"q":1}}\r\n'
    const file = await send('POST', '/d/cases/import', lines, ndjson)
    assert.deepEqual([file.status, file.json()], [200, { created: 1, updated: 0, unchanged: 1 }], file.body)
    const table = [
      '\ufeffid,input,expected_json,tags,metadata.team',
      'c,"Say ""hi"",\nplease","{""ok"":true}",one; two,blue',
      'b,plain,,,',
    ].join('\r\n')
    const rows = await send('POST', '/d/cases/import', table, { type: 'text/csv; charset=utf-8' })
    assert.deepEqual([rows.status, rows.json()], [200, { created: 1, updated: 1, unchanged: 0 }], rows.body)
    const made = await send('GET', '/d/cases/c')
    const { input, expected, tags, metadata } = made.json<Record<string, unknown>>()
    assert.deepEqual(
      [input, expected, tags, metadata],
      ['Say "hi",\nplease', { ok: true }, ['one', 'two'], { team: 'blue' }],
    )
    const { items } = (await send('GET', '/d/cases')).json<{ items: readonly { id: string }[] }>()
    assert.deepEqual(
      items.map(({ id }) => id.length === 36 || id),
      ['a', true, 'b', 'c'],
      'in the order of their creation',
    )
    const first = (await send('GET', '/d/cases?limit=3')).json<{ nextCursor: string }>()
    const rest = await send('GET', `/d/cases?limit=3&cursor=${encodeURIComponent(first.nextCursor)}`)
    const last = rest.json<{ items: readonly { id: string }[]; nextCursor: string | null }>()
    assert.deepEqual([last.items.map(({ id }) => id), last.nextCursor], [['c'], null])
  })

  test(`${name}: SEC: rows that cannot be stored are named by number, and nothing is stored`, { skip }, async (t) => {
    const { send } = await serveDatasets(t, open, { casesPerDataset: 30, caseBytes: 2000 })
    await send('PUT', '/d', { inputSchema: { type: 'string' } })
    const lines = [
      '{"input":"fine"}',
      '{"input":7}',
      'not json',
      '{"input":"\\u0000"}',
      '{"input":"x","id":"import"}',
      '{"input":"x","id":"twice"}',
      '{"input":"x","id":"twice"}',
      `{"input":"${'x'.repeat(2500)}"}`,
      '{"input":"x","metadata":{"n":1e999}}',
      '{"input":"x","color":"red"}',
      '{}',
      '[]',
    ]
    const refused = await send('POST', '/d/cases/import', lines.join('\n'), ndjson)
    const { code, errors } = refused.json<Problem>()
    assert.deepEqual([refused.status, code], [422, 'invalid_import'], refused.body)
    assert.deepEqual(
      errors.map(({ detail }) => Number(/^row (\d+): /.exec(detail)?.[1])),
      [2, 3, 4, 5, 7, 8, 9, 10, 11, 12],
    )
    assert.match(errors[4]?.detail ?? '', /id is the id of row 6/)
    const many = await send('POST', '/d/cases/import', '1\n'.repeat(25), ndjson)
    assert.equal(many.json<Problem>().errors.length, 20)
    assert.match(many.json<Problem>().detail, /The first 20 of 25 rows are named/)
    const json = await send('POST', '/d/cases/import', { cases: [{ input: 'x' }, 5] })
    assert.deepEqual(
      json.json<Problem>().errors.map(({ pointer }) => pointer),
      ['/cases/1'],
    )
    for (const [body, type, status] of [
      ['input,color\nx,red\n', csv, 400],
      ['expected\nx\n', csv, 400],
      ['input,input_json\nx,1\n', csv, 400],
      ['input\n"open\n', csv, 422],
      ['input,id\nx\n', csv, 422],
      ['input\na\u0000b\n', csv, 422],
      ['input_json\n{\n', csv, 422],
      ['input\n', csv, 400],
      ['', csv, 400],
      ['{}', { type: 'text/plain' }, 415],
      ['{"cases":[]}', { type: 'application/json' }, 400],
      [`{"input":"x"}\n`.repeat(31), ndjson, 429],
    ] as const) {
      const one = await send('POST', '/d/cases/import', body, type)
      assert.equal(one.status, status, `${JSON.stringify(body.slice(0, 40))} ${one.body}`)
    }
    assert.equal((await send('GET', '/d')).json<{ cases: number }>().cases, 0)
    assert.equal((await send('POST', '/none/cases/import', '{"input":"x"}', ndjson)).status, 404)
  })

  test(`${name}: a batch of an import reads no other cases of its dataset`, { skip }, async (t) => {
    const { send, database } = await serveDatasets(t, open)
    const linesOf = (count: number) => Array.from({ length: count }, (_, n) => `{"id":"c${n}","input":${n}}`).join('\n')
    for (const dataset of ['known', 'grown']) await send('PUT', `/${dataset}`, {})
    await send('POST', '/known/cases/import', linesOf(1_000), ndjson)
    // Statistics are those of the time before the import.
    await sql`analyze datasets_cases`.execute(database.root)
    assert.equal((await send('POST', '/grown/cases/import', linesOf(4_000), ndjson)).status, 200)
    const { rows } = await sql<{ id: string }>`select id from datasets_datasets where name = 'grown'`.execute(
      database.root,
    )
    const ids = Array.from({ length: 200 }, (_, n) => `c${n}`)
    const plan = await sql`explain (analyze) ${selectLiveCases(rows[0]?.id ?? '', ids)}`.execute(database.root)
    const text = JSON.stringify(plan.rows)
    assert.match(text, /rows=200\b/)
    assert.doesNotMatch(text, /Rows Removed by Filter/)
  })
}
