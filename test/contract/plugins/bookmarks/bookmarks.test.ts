import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { problemOf, servePlugin } from '../serve-plugin.ts'

const file = new URL('./bookmarks.ts', import.meta.url)

interface Bookmark {
  readonly id: string
  readonly name: string
  readonly version: number
}

async function serve(t: TestContext, open: (t: TestContext) => Promise<Database>, most = 100) {
  const served = await servePlugin(t, open, {
    file,
    path: '/bookmarks/bookmarks',
    settings: `bookmarks: { most: ${most} }\n`,
  })
  const { ask } = served
  const add = (namespace: string, name: string, more: object = {}, headers: object = {}) =>
    ask('POST', '', { body: { namespace, name, url: `https://${name}.example`, ...more }, headers })
  const names = async (query: string, who?: string) => {
    const answer = await ask('GET', query, { who })
    assert.equal(answer.statusCode, 200, answer.body)
    const { items, nextCursor } = answer.json<{ items: Bookmark[]; nextCursor: string | null }>()
    return { names: items.map(({ name }) => name).join(' '), nextCursor }
  }
  return { ...served, add, names }
}

for (const { name: adapter, skip, open } of pluginAdapters) {
  test(`CON8: ${adapter}: rows with labels are listed by page, filter and permitted namespace`, { skip }, async (t) => {
    const { add, names, ask, renew } = await serve(t, open)
    for (const n of [1, 2, 3]) {
      const made = await add('a', `a${n}`, { labels: { n: String(n % 2) } })
      assert.equal(made.statusCode, 201, made.body)
    }
    for (const n of [1, 2]) await add('b', `b${n}`)
    assert.deepEqual(await names('?namespace=a'), { names: 'a3 a2 a1', nextCursor: null })
    // An exactly full last page has no cursor.
    assert.deepEqual(await names('?namespace=a&limit=3'), { names: 'a3 a2 a1', nextCursor: null })
    const first = await names('?namespace=a&limit=2')
    assert.equal(first.names, 'a3 a2')
    assert.deepEqual(await names(`?namespace=a&limit=2&cursor=${first.nextCursor}`), {
      names: 'a1',
      nextCursor: null,
    })
    assert.equal((await names('?namespace=a&label=n=1')).names, 'a3 a1')
    assert.equal((await names('?scope=permitted')).names, 'a3 a2 a1 b2 b1')
    assert.equal((await names('?scope=permitted', 'ben')).names, 'b2 b1')
    assert.equal((await names('', 'root')).names, 'b2 b1 a3 a2 a1')
    const walked: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await names(`?scope=permitted&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      walked.push(page.names)
      cursor = page.nextCursor
    }
    assert.deepEqual(walked, ['a3 a2', 'a1 b2', 'b1'])
    assert.deepEqual(await names('?scope=permitted&limit=5'), { names: 'a3 a2 a1 b2 b1', nextCursor: null })
    // A cursor continues its own list only, and no changed one.
    for (const query of [
      `?namespace=b&limit=2&cursor=${first.nextCursor}`,
      `?namespace=a&label=n=1&cursor=${first.nextCursor}`,
      `?namespace=a&order=oldest&cursor=${first.nextCursor}`,
      `?namespace=a&search=a&cursor=${first.nextCursor}`,
      `?scope=permitted&cursor=${first.nextCursor}`,
      `?namespace=a&cursor=${first.nextCursor}x`,
    ])
      assert.equal(problemOf(await ask('GET', query)).code, 'invalid_cursor', query)
    // A namespace that was deleted and created again has none of the rows.
    await renew('a')
    assert.equal((await names('?namespace=a')).names, '')
    assert.equal((await names('?scope=permitted')).names, 'b2 b1')
    assert.equal((await ask('GET', '/a/a1')).statusCode, 404)
    assert.equal((await add('a', 'a1')).statusCode, 201, 'the name is free')
  })

  test(`${adapter}: a list is ordered and searched, and pages keep the order`, { skip }, async (t) => {
    const { add, names, ask } = await serve(t, open)
    for (const name of ['pear', 'apple', 'plum']) await add('a', name)
    await add('b', 'apple', { url: 'https://elsewhere.example/PLUM' })
    await ask('PUT', '/a/pear', { body: { url: 'https://changed.example' } })
    for (const [query, expected] of [
      ['namespace=a', 'plum apple pear'],
      ['namespace=a&order=newest', 'plum apple pear'],
      ['namespace=a&order=oldest', 'pear apple plum'],
      ['namespace=a&order=name', 'apple pear plum'],
      ['namespace=a&order=updated', 'pear plum apple'],
      ['namespace=a&search=PLU', 'plum'],
      ['namespace=a&search=changed', 'pear'],
      ['namespace=a&url=https://plum.example', 'plum'],
      ['namespace=a&search=%25', ''],
      ['namespace=a&search=_', ''],
      [`namespace=a&search=${encodeURIComponent("' or 1=1 --")}`, ''],
      ['scope=permitted&search=plum', 'plum apple'],
    ] as const)
      assert.equal((await names(`?${query}`)).names, expected, query)
    // Objects of two namespaces with one name are both listed, across pages.
    for (const [order, expected] of [
      ['name', ['apple', 'apple', 'pear', 'plum']],
      ['updated', ['pear', 'apple', 'plum', 'apple']],
      ['oldest', ['pear', 'apple', 'plum', 'apple']],
    ] as const) {
      const walked: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await names(`?order=${order}&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`, 'root')
        walked.push(page.names)
        cursor = page.nextCursor
      }
      assert.deepEqual(walked, expected, order)
    }
  })

  test(`${adapter}: If-Match lets one of concurrent writers win, and names the failure`, { skip }, async (t) => {
    const { add, ask, store } = await serve(t, open)
    assert.equal((await add('a', 'x')).headers['etag'], '"1"')
    const put = (n: number, match?: string) =>
      ask('PUT', '/a/x', { body: { url: `u${n}` }, headers: match === undefined ? {} : { 'if-match': match } })
    const raced = await Promise.all(Array.from({ length: 12 }, (_, n) => put(n, '"1"')))
    assert.deepEqual(raced.map(({ statusCode }) => statusCode).toSorted(), [
      200,
      ...Array.from({ length: 11 }, () => 412),
    ])
    const refused = raced.find(({ statusCode }) => statusCode === 412)
    assert.equal(refused && problemOf(refused).code, 'precondition_failed')
    // No racer has written this address.
    assert.equal((await put(20)).headers['etag'], '"3"', 'without the header any version matches')
    assert.equal((await put(20, '*')).headers['etag'], '"4"')
    for (const [match, status] of [
      ['"3"', 412],
      ['"04"', 412],
      ['"4\u0020"', 400],
      ['W/"4"', 400],
      ['"4", "5"', 400],
      ['4', 400],
      ['', 400],
      ['"' + '9'.repeat(400) + '"', 400],
    ] as const)
      assert.equal((await put(2, match)).statusCode, status, match)
    const read = (tag: string) => ask('GET', '/a/x', { headers: { 'if-none-match': tag } })
    assert.deepEqual([(await read('"4"')).statusCode, (await read('"4"')).body], [304, ''])
    assert.equal((await read('"3"')).statusCode, 200)
    assert.equal((await ask('DELETE', '/a/x', { headers: { 'if-match': '"3"' } })).statusCode, 412)
    assert.equal((await ask('DELETE', '/a/x', { headers: { 'if-match': '"4"' } })).statusCode, 204)
    assert.equal((await ask('DELETE', '/a/x')).statusCode, 404)
    const events = await store.readStream('bookmarks/bookmarks/uid-a/x')
    assert.deepEqual(
      events.map(({ type, data }) => [type.split('.')[3], (data as { fields?: string[] }).fields]),
      [
        ['bookmark-created', undefined],
        ['bookmark-updated', ['url']],
        ['bookmark-updated', ['url']],
        ['bookmark-updated', []],
        ['bookmark-deleted', undefined],
      ],
    )
    assert.ok(!JSON.stringify(events.map(({ data }) => data)).includes('u20'), 'no event has content')
    // A successor has further versions: a tag of the deleted object does not match it.
    assert.equal((await add('a', 'x')).headers['etag'], '"6"')
    assert.equal((await put(1, '"4"')).statusCode, 412)
  })

  test(`${adapter}: one of concurrent creations wins, and a repeated key is one object`, { skip }, async (t) => {
    const { add, ask, count, database } = await serve(t, open)
    const made = await Promise.all(Array.from({ length: 8 }, () => add('a', 'y')))
    assert.deepEqual(made.map(({ statusCode }) => statusCode).toSorted(), [
      201,
      ...Array.from({ length: 7 }, () => 409),
    ])
    const exists = made.find(({ statusCode }) => statusCode === 409)
    assert.equal(exists && problemOf(exists).code, 'bookmark_exists')
    const keyed = { 'idempotency-key': 'k1' }
    const first = await add('a', 'z', {}, keyed)
    assert.equal(first.statusCode, 201)
    const replayed = await add('a', 'z', {}, keyed)
    assert.deepEqual([replayed.headers['idempotency-replayed'], replayed.body], ['true', first.body])
    // As after a process that ended before its response was stored.
    const forget = () => sql`delete from idempotency`.execute(database.root)
    await forget()
    const lost = await add('a', 'z', {}, keyed)
    assert.deepEqual([lost.statusCode, lost.json<Bookmark>().id], [201, first.json<Bookmark>().id])
    await forget()
    assert.equal(problemOf(await add('a', 'other', {}, keyed)).code, 'idempotency_conflict')
    await forget()
    await sql`update x_bookmarks_bookmarks set created_at = created_at - interval '2 years'`.execute(database.root)
    assert.equal((await add('a', 'other', {}, keyed)).statusCode, 201, 'the key has expired')
    assert.equal(await count('x_bookmarks_bookmarks'), 3)
    assert.equal((await ask('GET', '/a/other')).json<Bookmark>().version, 1)
  })

  test(`F10: ${adapter}: a namespace has its own quota, also for concurrent writers`, { skip }, async (t) => {
    const { add, ask, count, deliver, renew } = await serve(t, open, 2)
    const made = await Promise.all(Array.from({ length: 6 }, (_, n) => add('a', `n${n}`)))
    assert.deepEqual(made.map(({ statusCode }) => statusCode).toSorted(), [201, 201, 429, 429, 429, 429])
    const refused = made.find(({ statusCode }) => statusCode === 429)
    assert.equal(refused && problemOf(refused).code, 'bookmark_quota_exceeded')
    assert.match(refused?.body ?? '', /Namespace a has 2 of bookmarks/)
    assert.equal((await add('b', 'other')).statusCode, 201, 'the quota of one namespace does not touch another')
    const kept = made.find(({ statusCode }) => statusCode === 201)?.json<Bookmark>().name ?? ''
    assert.equal((await ask('DELETE', `/a/${kept}`)).statusCode, 204)
    assert.equal((await add('a', 'again')).statusCode, 201, 'a deleted object counts no more')
    // With its namespace go the rows and their number, and no others.
    await renew('a')
    await deliver('uid-a')
    assert.equal(await count('x_bookmarks_bookmarks'), 1)
    assert.equal(await count('x_bookmarks_bookmarks_usage'), 1)
    for (const name of ['one', 'two']) assert.equal((await add('a', name)).statusCode, 201)
  })

  test(`${adapter}: a namespace that is deleted meanwhile gets no object`, { skip }, async (t) => {
    const { add, count, database } = await serve(t, open)
    assert.equal((await add('nowhere', 'x')).statusCode, 403)
    await sql`update object_index set deleted_at = now() where uid = 'uid-a'`.execute(database.root)
    assert.equal((await add('a', 'x')).statusCode, 404)
    assert.equal(await count('x_bookmarks_bookmarks'), 0)
  })

  test(
    `${adapter}: hostile input is a 400 that names the field, and foreign callers are refused`,
    { skip },
    async (t) => {
      const { ask, add, names } = await serve(t, open)
      await add('a', 'x')
      const good = { namespace: 'a', name: 'y', url: 'u' }
      const start = '{"namespace":"a","name":"y","url":"u"'
      const bodies: readonly (readonly [unknown, string])[] = [
        [{ ...good, url: 'a\0b' }, '/url'],
        ['{"namespace":"a","name":"y","url":"\\ud800"}', '/url'],
        [`${start},"labels":{"k":"\\u0000"}}`, '/labels/k'],
        [`${start},"labels":{"\\udfff":"v"}}`, '/labels'],
        [`${start},"__proto__":{"x":1}}`, ''],
        [{ ...good, url: 1e308 }, '/url'],
        [{ ...good, url: ['u'] }, '/url'],
        [{ ...good, url: 'u'.repeat(1025) }, '/url'],
        [{ ...good, labels: { k: 1 } }, '/labels/k'],
        [{ ...good, labels: { "k' or 1=1": 'v' } }, "/labels/k' or 1=1"],
        [{ ...good, labels: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'v'])) }, '/labels'],
        [{ ...good, name: '../x' }, '/name'],
        [{ ...good, name: 'a\0' }, '/name'],
        [{ ...good, name: 'x'.repeat(64) }, '/name'],
        [{ ...good, id: 'x' }, '/id'],
        [{ ...good, version: 9 }, '/version'],
        [{ namespace: 'a', url: 'u' }, '/name'],
        [[], ''],
        ['null', ''],
        ['{', ''],
      ]
      for (const [body, pointer] of bodies) {
        const answer = await ask('POST', '', { body })
        assert.equal(answer.statusCode, 400, JSON.stringify(body))
        assert.equal(problemOf(answer).pointer, pointer, JSON.stringify(body))
      }
      const queries = [
        'namespace=%00',
        'namespace=A',
        'label=%00=x',
        'label=novalue',
        'label==x',
        'limit=0',
        'limit=201',
        'limit=1e3',
        'limit=99999999999999999999',
        'limit=1&limit=2',
        'scope=all',
        'order=random',
        'order=name&order=name',
        'search=',
        'search=%00',
        'search=%ED%A0%80',
        `search=${'x'.repeat(129)}`,
        'url=%00',
        'namespace=a&cursor=x.y.z',
        'cursor=%ED%A0%80',
        'more=1',
      ]
      for (const query of queries) assert.equal((await ask('GET', `?${query}`)).statusCode, 400, query)
      for (const path of ['/A/x', '/a/%00', '/a/X', `/a/${'x'.repeat(254)}`, '/a%2Fb/x'])
        assert.equal((await ask('GET', path)).statusCode, 400, path)
      for (const [method, path] of [
        ['GET', '?namespace=a'],
        ['GET', '/a/x'],
        ['POST', ''],
        ['PUT', '/a/x'],
        ['DELETE', '/a/x'],
      ] as const) {
        const body = method === 'POST' ? { body: good } : method === 'PUT' ? { body: { url: 'u' } } : {}
        for (const who of ['', 'garbage']) assert.equal((await ask(method, path, { ...body, who })).statusCode, 401)
        assert.equal((await ask(method, path, { ...body, who: 'ben' })).statusCode, 403, `${method} ${path}`)
      }
      // A label that is SQL is a value.
      assert.equal((await names(`?namespace=a&label=${encodeURIComponent("x') or true --=1")}`)).names, '')
      assert.equal((await names('?namespace=a')).names, 'x')
      assert.equal((await ask('GET', '?', { who: 'ann' })).statusCode, 403, 'the whole cluster needs its own right')
    },
  )
}
