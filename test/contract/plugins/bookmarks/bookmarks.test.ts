import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { createDirectory } from '#core/cluster/namespace-directory.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import type { Access, Caller } from '#core/cluster/caller.ts'
import { readSettings } from '#core/config/settings.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { prefixOfThirdParty } from '#core/database/table-prefix.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { createHost } from '#core/host/process/host.ts'
import { bareSettings, standalonePlatform } from '#core/host/testing/standalone-platform.ts'
import { loadThirdParties } from '#core/host/third-party/third-party.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import { KubeError } from '#core/kube/status.ts'
import { createLogger } from '#core/log/create-logger.ts'

const httpMigrations = {
  name: 'http',
  migrations: new URL('../../../../core/http/migrations/', import.meta.url),
}

// Namespaces where each user may do everything; other reviews are denied, that of the whole cluster too.
const rights: Readonly<Record<string, readonly string[]>> = { ann: ['a', 'b'], ben: ['b'], root: ['', 'a', 'b'] }

function callerOf(bearer: string): Caller {
  const allowed = rights[bearer]
  if (allowed === undefined) throw new KubeError(401, 'Unauthorized', 'Unauthorized')
  const review: Caller['review'] = async (verb, resource, { namespace }) => {
    if (!allowed.includes(namespace)) throw new KubeError(403, 'Forbidden', `${resource} is forbidden`)
    return { verb, resource, namespace, username: bearer } as Access<typeof verb, typeof resource>
  }
  return {
    username: bearer,
    bearer,
    get cluster(): never {
      throw new Error('this test has no cluster')
    },
    whoami: async () => ({ username: bearer, uid: '', groups: [], extra: {} }),
    review,
    may: (verb, resource, where) => review(verb, resource, where).catch(() => undefined),
  }
}

async function observe(database: Database, name: string, uid: string): Promise<void> {
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
    values (${uid}, 'Namespace', '', ${name}, '1', '')`.execute(database.root)
}

async function serve(t: TestContext, open: (t: TestContext) => Promise<Database>) {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const [plugin] = await loadThirdParties(['./bookmarks.ts'], { folder, plugins: [], profile: 'open' })
  assert.ok(plugin?.migrations)
  const database = await open(t)
  const own = { name: plugin.name, migrations: plugin.migrations, tablePrefix: prefixOfThirdParty(plugin.name) }
  await migrate(database, [{ name: 'cluster', migrations: clusterMigrations }, httpMigrations, own])
  for (const name of ['a', 'b']) await observe(database, name, `uid-${name}`)
  const store = createStore(database, { projections: [] })
  const platform = standalonePlatform()
  const clock = { ms: Date.parse('2026-01-01T00:00:00Z') }
  const host = createHost({
    roles: ['bff'],
    plugins: [plugin],
    settings: readSettings(bareSettings(), {}, [plugin]),
    openPlatform: async (needs) => ({
      ...(await platform(needs)),
      store,
      observed: createObserved(store),
      directory: createDirectory(store),
      callers: { as: async (bearer) => callerOf(bearer) },
    }),
    keys: testKeyring(),
    version: '0.0.0',
    log: createLogger({ destination: { write: () => undefined } }),
    now: () => new Date((clock.ms += 1)),
    thirdParty: new Set([plugin.name]),
  })
  t.after(() => host.close())
  await host.start()
  type Sent = { readonly body?: unknown; readonly headers?: object; readonly who?: string | undefined }
  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, sent: Sent = {}) => {
    const { body, headers, who = 'ann' } = sent
    const answer = await host.app('bff')?.inject({
      method,
      url: `/api/x/bookmarks/items${path}`,
      headers: {
        ...(who === '' ? {} : { authorization: `Bearer ${who}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    assert.ok(answer)
    return answer
  }
  const add = (ns: string, name: string, more: object = {}) =>
    ask('POST', `/${ns}`, { body: { name, url: `https://${name}.example`, ...more } })
  const names = async (query: string, who?: string) => {
    const answer = await ask('GET', query, { who })
    assert.equal(answer.statusCode, 200, answer.body)
    const { items, nextCursor } = answer.json<{ items: { name: string }[]; nextCursor: string | null }>()
    return { names: items.map(({ name }) => name).join(' '), nextCursor }
  }
  return { ask, add, names, database, store }
}

for (const { name: adapter, skip, open } of pluginAdapters) {
  test(`CON8: ${adapter}: rows with labels are listed by page, filter and permitted namespace`, { skip }, async (t) => {
    const { add, names, ask, database } = await serve(t, open)
    for (const n of [1, 2, 3]) assert.equal((await add('a', `a${n}`, { labels: { n: String(n % 2) } })).statusCode, 201)
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
      `?scope=permitted&cursor=${first.nextCursor}`,
      `?namespace=a&cursor=${first.nextCursor}x`,
    ])
      assert.equal((await ask('GET', query)).json<{ code: string }>().code, 'invalid_cursor', query)
    // A namespace that was deleted and created again has none of the rows.
    await sql`update object_index set deleted_at = now() where uid = 'uid-a'`.execute(database.root)
    await observe(database, 'a', 'uid-a2')
    assert.equal((await names('?namespace=a')).names, '')
    assert.equal((await names('?scope=permitted')).names, 'b2 b1')
    assert.equal((await ask('GET', '/a/a1')).statusCode, 404)
  })

  test(`${adapter}: If-Match lets one of concurrent writers win, and names the failure`, { skip }, async (t) => {
    const { add, ask, store } = await serve(t, open)
    assert.equal((await add('a', 'x')).headers.etag, '"1"')
    const put = (n: number, match?: string) =>
      ask('PUT', '/a/x', { body: { url: `u${n}` }, headers: match === undefined ? {} : { 'if-match': match } })
    const raced = await Promise.all(Array.from({ length: 12 }, (_, n) => put(n, '"1"')))
    assert.deepEqual(raced.map(({ statusCode }) => statusCode).toSorted(), [
      200,
      ...Array.from({ length: 11 }, () => 412),
    ])
    assert.equal(
      raced.find(({ statusCode }) => statusCode === 412)?.json<{ code: string }>().code,
      'precondition_failed',
    )
    assert.equal((await put(1)).headers.etag, '"3"', 'without the header any version matches')
    assert.equal((await put(1, '*')).headers.etag, '"4"')
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
    const events = await store.readStream('bookmarks/uid-a/x')
    assert.deepEqual(
      events.map(({ data }) => (data as { change: string }).change),
      ['create', 'update', 'update', 'update', 'delete'],
    )
    // One of concurrent creations wins; a repeated key returns the first response.
    const made = await Promise.all(Array.from({ length: 8 }, () => add('a', 'y')))
    assert.deepEqual(made.map(({ statusCode }) => statusCode).toSorted(), [
      201,
      ...Array.from({ length: 7 }, () => 409),
    ])
    assert.equal(made.find(({ statusCode }) => statusCode === 409)?.json<{ code: string }>().code, 'bookmark_exists')
    const keyed = { body: { name: 'z', url: 'u' }, headers: { 'idempotency-key': 'k1' } }
    assert.equal((await ask('POST', '/a', keyed)).statusCode, 201)
    assert.equal((await ask('POST', '/a', keyed)).headers['idempotency-replayed'], 'true')
  })

  test(
    `${adapter}: hostile input is a 400 that names the field, and foreign callers are refused`,
    { skip },
    async (t) => {
      const { ask, add, names } = await serve(t, open)
      await add('a', 'x')
      const good = { name: 'y', url: 'u' }
      const bodies: readonly (readonly [unknown, string])[] = [
        [{ ...good, url: 'a\0b' }, '/url'],
        ['{"name":"y","url":"\\ud800"}', '/url'],
        ['{"name":"y","url":"u","labels":{"k":"\\u0000"}}', '/labels/k'],
        ['{"name":"y","url":"u","labels":{"\\udfff":"v"}}', '/labels'],
        ['{"name":"y","url":"u","__proto__":{"x":1}}', ''],
        [{ ...good, url: 1e308 }, '/url'],
        [{ ...good, url: ['u'] }, '/url'],
        [{ ...good, url: 'u'.repeat(1025) }, '/url'],
        [{ ...good, labels: { k: 1 } }, '/labels/k'],
        [{ ...good, labels: { "k' or 1=1": 'v' } }, "/labels/k' or 1=1"],
        [{ ...good, labels: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'v'])) }, '/labels'],
        [{ ...good, name: '../x' }, '/name'],
        [{ url: 'u' }, '/name'],
        [[], ''],
        ['null', ''],
        ['{', ''],
      ]
      for (const [body, pointer] of bodies) {
        const answer = await ask('POST', '/a', { body })
        assert.equal(answer.statusCode, 400, JSON.stringify(body))
        assert.equal(answer.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer, pointer, JSON.stringify(body))
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
        ['POST', '/a'],
        ['PUT', '/a/x'],
        ['DELETE', '/a/x'],
      ] as const) {
        const body = method === 'POST' || method === 'PUT' ? { body: good } : {}
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
