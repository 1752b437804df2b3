import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { problemOf, servePlugin } from '../serve-plugin.ts'

const file = new URL('./snippets.ts', import.meta.url)

interface Snippet {
  readonly text: string
  readonly version: number
  readonly labels: Readonly<Record<string, number>>
}

async function serve(t: TestContext, open: (t: TestContext) => Promise<Database>) {
  const served = await servePlugin(t, open, { file, path: '/snippets/snippets' })
  const { ask } = served
  const post = (text: string, name = 'hi', headers: object = {}) =>
    ask('POST', '', { body: { namespace: 'a', name, text }, headers })
  const read = async (query = '', name = 'hi') => (await ask('GET', `/a/${name}${query}`)).json<Snippet>()
  const move = (label: string, version: unknown, headers: object = {}) =>
    ask('PUT', `/a/hi/labels/${label}`, { body: { version }, headers })
  const page = async <T>(path: string) => {
    const answer = await ask('GET', `/a/hi${path}`)
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json<{ items: T[]; nextCursor: string | null }>()
  }
  return { ...served, post, read, move, page }
}

for (const { name: adapter, skip, open } of pluginAdapters) {
  test(`${adapter}: new content is a revision, equal content is nothing new`, { skip }, async (t) => {
    const { post, read, ask, page, store } = await serve(t, open)
    assert.deepEqual(
      [await post('one'), await post('two'), await post('two'), await post('one')].map(({ statusCode, json }) => [
        statusCode,
        json<Snippet>().version,
      ]),
      [
        [201, 1],
        [201, 2],
        [200, 2],
        [201, 3],
      ],
    )
    const same = await ask('PUT', '/a/hi', { body: { text: 'one' } })
    assert.deepEqual([same.statusCode, same.headers['etag'], same.json<Snippet>().version], [200, '"3"', 3])
    assert.equal((await ask('PUT', '/a/hi', { body: { text: 'four' } })).json<Snippet>().version, 4)
    assert.deepEqual(
      [await read(), await read('?version=1'), await read('?label=latest')].map(({ text, version }) => [text, version]),
      [
        ['four', 4],
        ['one', 1],
        ['four', 4],
      ],
    )
    const first = await page<Snippet>('/versions?limit=3')
    assert.deepEqual(
      first.items.map(({ text, version }) => `${version} ${text}`),
      ['4 four', '3 one', '2 two'],
    )
    const rest = await page<Snippet>(`/versions?limit=3&cursor=${first.nextCursor}`)
    assert.deepEqual([rest.items.map(({ version }) => version), rest.nextCursor], [[1], null])
    const stolen = await ask('GET', `/a/hi/history?limit=3&cursor=${first.nextCursor}`)
    assert.equal(problemOf(stolen).code, 'invalid_cursor')
    assert.equal((await post('five')).statusCode, 201)
    const full = await post('six')
    assert.deepEqual([full.statusCode, problemOf(full).code], [429, 'snippet_quota_exceeded'])
    const facts = (await store.readStream('snippets/snippets/uid-a/hi')).map(({ type }) => type.split('.')[3])
    assert.deepEqual(facts, ['snippet-created', ...Array.from({ length: 4 }, () => 'snippet-updated')])
    for (const [query, detail] of [
      ['?version=9', 'hi has no version 9.'],
      ['?label=unknown', 'hi has no label unknown.'],
      ['?label=constructor', 'hi has no label constructor.'],
    ] as const) {
      const missing = await ask('GET', `/a/hi${query}`)
      assert.deepEqual([missing.statusCode, problemOf(missing).detail], [404, detail], query)
    }
    for (const query of ['?version=0', '?version=99999999999', '?label=%00', '?label=A', '?version=1&label=latest'])
      assert.equal((await ask('GET', `/a/hi${query}`)).statusCode, 400, query)
  })

  test(`${adapter}: labels move by events and have a history; a protected one needs promote`, { skip }, async (t) => {
    const { post, read, move, page, denied, ask, store } = await serve(t, open)
    for (const text of ['one', 'two', 'three']) await post(text)
    assert.deepEqual((await read()).labels, {})
    const moved = await move('production', 1)
    assert.deepEqual([moved.statusCode, moved.headers['etag']], [200, '"4"'])
    assert.deepEqual(await read().then(({ text, labels }) => [text, labels]), ['one', { production: 1 }])
    assert.equal((await read('?label=latest')).text, 'three')
    assert.equal((await move('production', 1)).headers['etag'], '"4"', 'it points there already')
    assert.equal((await move('staging', 3)).statusCode, 200)
    assert.equal((await move('production', 2, { 'if-match': '"4"' })).statusCode, 412)
    denied.add('ann promote')
    assert.equal((await move('production', 2)).statusCode, 403)
    assert.equal((await move('production', null)).statusCode, 403, 'its removal, too')
    assert.equal((await move('staging', 2)).statusCode, 200)
    denied.clear()
    denied.add('ann update')
    assert.equal((await move('staging', 3)).statusCode, 403)
    assert.equal((await post('four')).statusCode, 403, 'a further revision is a change')
    assert.equal((await post('one', 'new-one')).statusCode, 201)
    denied.clear()
    assert.equal((await move('staging', null)).statusCode, 200)
    assert.deepEqual((await read()).labels, { production: 1 })
    const { items } = await page<{ label: string; from: number | null; to: number | null; movedBy: string }>('/history')
    assert.deepEqual(
      items.map(({ label, from, to, movedBy }) => `${label} ${from} ${to} ${movedBy}`),
      ['staging 2 null ann', 'staging 3 2 ann', 'staging null 3 ann', 'production null 1 ann'],
    )
    const moves = (await store.readStream('snippets/snippets/uid-a/hi')).slice(3).map(({ data }) => data as object)
    assert.deepEqual(
      moves.map((data) => ({ ...data, id: undefined })),
      [
        { id: undefined, label: 'production', to: 1 },
        { id: undefined, label: 'staging', to: 3 },
        { id: undefined, label: 'staging', from: 3, to: 2 },
        { id: undefined, label: 'staging', from: 2 },
      ],
    )
    for (const [label, version, status] of [
      ['latest', 1, 400],
      ['A', 1, 400],
      ['%00', 1, 400],
      ['x', 0, 400],
      ['x', 1.5, 400],
      ['x', '1', 400],
      ['x', 2 ** 31, 400],
      ['x', 9, 404],
    ] as const)
      assert.equal((await move(label, version)).statusCode, status, `${label} ${version}`)
    assert.equal((await ask('PUT', '/a/unknown/labels/x', { body: { version: 1 } })).statusCode, 404)
    assert.equal((await ask('PUT', '/a/hi/labels/x', { body: {} })).statusCode, 400)
  })

  test(`${adapter}: what is below an object is appended, and the newest of an author counts`, { skip }, async (t) => {
    const { post, ask, page, denied, count, database } = await serve(t, open)
    await post('one')
    const add = (body: unknown, who = 'ann', headers: object = {}) =>
      ask('POST', '/a/hi/reviews', { body, who, headers })
    const made = await add({ aspect: 'tone', verdict: true }, 'ann', { 'idempotency-key': 'k' })
    assert.equal(made.statusCode, 201, made.body)
    await sql`delete from idempotency`.execute(database.root)
    const again = await add({ aspect: 'tone', verdict: true }, 'ann', { 'idempotency-key': 'k' })
    assert.equal(again.json<{ id: string }>().id, made.json<{ id: string }>().id, 'the first response was lost')
    await add({ aspect: 'tone', verdict: false })
    await add({ aspect: 'length', verdict: true })
    await add({ aspect: 'tone', verdict: true }, 'root')
    type Review = { aspect: string; verdict: boolean; createdBy: string }
    const shown = async (query = '') =>
      (await page<Review>(`/reviews${query}`)).items.map((one) => `${one.aspect} ${one.verdict} ${one.createdBy}`)
    const all = ['tone true root', 'length true ann', 'tone false ann', 'tone true ann']
    assert.deepEqual(await shown(), all)
    assert.deepEqual(await shown('?current=true'), all.slice(0, 3))
    const first = await page<Review>('/reviews?limit=3')
    assert.deepEqual((await page<Review>(`/reviews?limit=3&cursor=${first.nextCursor}`)).items.length, 1)
    const changed = await ask('GET', `/a/hi/reviews?limit=3&current=true&cursor=${first.nextCursor}`)
    assert.equal(problemOf(changed).code, 'invalid_cursor')
    const full = await Promise.all([add({ aspect: 'x', verdict: true }), add({ aspect: 'y', verdict: true })])
    assert.deepEqual(
      full.map(({ statusCode }) => statusCode),
      [429, 429],
    )
    assert.equal(await count('x_snippets_snippets_reviews'), 4)
    for (const [body, pointer] of [
      [{ aspect: 'a\0', verdict: true }, '/aspect'],
      ['{"aspect":"\\ud800","verdict":true}', '/aspect'],
      [{ aspect: 'x', verdict: 'yes' }, '/verdict'],
      [{ aspect: 'x', verdict: true, id: '1' }, '/id'],
    ] as const) {
      const refused = await add(body)
      assert.deepEqual([refused.statusCode, problemOf(refused).pointer], [400, pointer])
    }
    for (const [method, path] of [
      ['PUT', '/a/hi/reviews'],
      ['DELETE', '/a/hi/reviews'],
    ] as const)
      assert.equal((await ask(method, path, { body: {} })).statusCode, 405, method)
    denied.add('ann create')
    assert.equal((await add({ aspect: 'x', verdict: true })).statusCode, 403)
    assert.equal((await add({ aspect: 'x', verdict: true }, 'ben')).statusCode, 403)
    denied.clear()
    assert.equal((await ask('POST', '/a/unknown/reviews', { body: { aspect: 'x', verdict: true } })).statusCode, 404)
  })

  test(`${adapter}: a deletion removes revisions, labels and reviews; a check refuses`, { skip }, async (t) => {
    const { post, ask, move, count, renew, deliver, read } = await serve(t, open)
    const fill = async () => {
      await post('one')
      await post('two')
      await move('production', 1)
      assert.equal((await ask('POST', '/a/hi/reviews', { body: { aspect: 'x', verdict: true } })).statusCode, 201)
    }
    const counts = () =>
      Promise.all(['', '_revisions', '_moves', '_reviews', '_usage'].map((end) => count(`x_snippets_snippets${end}`)))
    await fill()
    assert.deepEqual(await counts(), [1, 2, 1, 1, 1])
    assert.equal((await ask('DELETE', '/a/hi')).statusCode, 204)
    assert.deepEqual(await counts(), [0, 0, 0, 0, 0])
    await fill()
    assert.equal((await read('?version=1')).text, 'one')
    await renew('a')
    for (const path of ['', '/versions', '/history', '/reviews'])
      assert.equal((await ask('GET', `/a/hi${path}`)).statusCode, 404, path)
    assert.equal((await move('production', 2)).statusCode, 404)
    await deliver('uid-a')
    assert.deepEqual(await counts(), [0, 0, 0, 0, 0])
    const reserved = await post('one', 'new')
    assert.deepEqual([reserved.statusCode, problemOf(reserved).code], [400, 'invalid_name'])
    assert.match((await post('refused')).body, /The text is refused/)
    assert.equal(await count('x_snippets_snippets'), 0)
  })
}
