import assert from 'node:assert/strict'
import { request as send } from 'node:http'
import test from 'node:test'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { createCallers } from '#core/cluster/callers.ts'
import { createTokenCache } from '#core/cluster/token-cache.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { isLabel } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { isStorable } from '#schemas/values/storable-text.ts'
import { startUpstream } from './upstream.ts'

const numRuns = Number(process.env.MESH_PROPERTY_RUNS ?? 200)

// The namespace as each part of a request can carry it; the answer is what the handler was given.
const reviewed = (where: 'path' | 'query' | 'body'): AnyEndpoint =>
  endpoint({
    method: where === 'body' ? 'POST' : 'GET',
    url: where === 'path' ? '/path/:ns' : `/${where}`,
    summary: 'reads rows of a namespace',
    authz: {
      kind: 'review',
      verb: 'list',
      resource: 'runs',
      namespace: { in: where, field: where === 'path' ? 'ns' : where === 'body' ? 'agent.namespace' : 'namespace' },
    },
    ...(where === 'query'
      ? { query: Type.Object({ namespace: Type.String(), other: Type.Optional(Type.String()) }) }
      : {}),
    ...(where === 'body'
      ? { body: Type.Object({ namespace: Type.String(), agent: Type.Object({ namespace: Type.String() }) }) }
      : {}),
    response: { 200: Type.Object({ namespace: Type.String() }) },
    handle: async ({ access }) => ({ namespace: access.namespace }),
  })

async function start(t: TestContext) {
  const upstream = await startUpstream(t)
  const pool = createPool(upstream.url)
  t.after(() => pool.close())
  const cluster = createCallers({ server: upstream.url, pool })
  const server = await buildServer(t, [{ endpoints: (['path', 'query', 'body'] as const).map(reviewed) }], { cluster })
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  const address = server.app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const ask = (method: string, path: string, headers: readonly string[], body?: unknown) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const request = send({ port, host: '127.0.0.1', method, path, headers: ['host', 'x', ...headers], agent: false })
      request.once('error', reject)
      request.once('response', async (answer) => {
        let text = ''
        for await (const chunk of answer) text += String(chunk)
        resolve({ status: answer.statusCode ?? 0, text })
      })
      request.end(body === undefined ? undefined : JSON.stringify(body))
    })
  return { upstream, ask, lines: server.lines }
}

const token = fc.stringMatching(/^[A-Za-z0-9._~+/-]{1,40}={0,2}$/)
const label = fc.stringMatching(/^[a-z0-9](?:[-a-z0-9]{0,20}[a-z0-9])?$/)

const elevating = [
  'Impersonate-User',
  'Impersonate-Group',
  'Impersonate-Uid',
  'Impersonate-Extra-scopes',
  'X-Remote-User',
]
  .concat([
    'X-Remote-Group',
    'X-Remote-Extra-x',
    'X-Forwarded-User',
    'X-Forwarded-For',
    'X-Auth-Request-User',
    'Cookie',
  ])
  .concat([
    'Proxy-Authorization',
    'X-Original-User',
    'Forwarded',
    'Via',
    'Accept',
    'User-Agent',
    'Traceparent',
    'Audit-ID',
    'Origin',
  ])

// A name as it is, in another case, or with underscores, which some servers read as dashes.
const headerName = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...elevating),
      fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,20}$/).map((name) => `X-${name}`),
    ),
    fc.constantFrom('as it is', 'lower', 'upper', 'underscores'),
  )
  .map(([name, spelling]) =>
    spelling === 'lower'
      ? name.toLowerCase()
      : spelling === 'upper'
        ? name.toUpperCase()
        : spelling === 'underscores'
          ? name.replaceAll('-', '_')
          : name,
  )

test('K2: what goes upstream is built: no header of a request is among it, whatever its name', async (t) => {
  const { upstream, ask } = await start(t)
  const own = [
    'host',
    'connection',
    'accept',
    'user-agent',
    'authorization',
    'content-type',
    'content-length',
    'audit-id',
  ]
  await fc.assert(
    fc.asyncProperty(token, fc.array(headerName, { minLength: 1, maxLength: 8 }), async (bearer, names) => {
      upstream.received.length = 0
      const headers = names.flatMap((name) => [name, 'canary-admin'])
      const { status, text } = await ask('GET', '/api/path/demo', ['authorization', `Bearer ${bearer}`, ...headers])
      assert.equal(status, 200, text)
      assert.ok(upstream.received.length > 0)
      for (const { rawHeaders } of upstream.received) {
        const sent = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
        assert.deepEqual(
          sent.filter((name) => !own.includes(name)),
          [],
        )
        assert.ok(rawHeaders.includes(`Bearer ${bearer}`))
        assert.doesNotMatch(rawHeaders.join('\n'), /canary/)
      }
    }),
    { numRuns },
  )
})

test('D3: every Authorization header without a valid bearer is the same 401, without a request to the API server', async (t) => {
  const { upstream, ask } = await start(t)
  const printable = fc.stringMatching(/^[\x21-\x7e][\x20-\x7e]{0,40}$/)
  const isBearer = (text: string): boolean => /^bearer +[A-Za-z0-9._~+/-]+=* *$/i.test(text)
  const given = fc.oneof(
    fc.constant([]),
    printable.filter((text) => !isBearer(text)).map((text) => [text]),
    fc
      .tuple(token, fc.constantFrom(' ', '\t', ',', ', Bearer ', '"', '%20'))
      .map(([one, by]) => [`Bearer ${one}${by}${one}`]),
    fc.array(token, { minLength: 2, maxLength: 3 }).map((tokens) => tokens.map((one) => `Bearer ${one}`)),
  )
  const bodies = new Set<string>()
  await fc.assert(
    fc.asyncProperty(given, async (values) => {
      const headers = values.flatMap((value) => ['authorization', value])
      const { status, text } = await ask('GET', '/api/path/demo', headers)
      assert.equal(status, 401, JSON.stringify(values))
      bodies.add(text)
    }),
    { numRuns },
  )
  assert.equal(bodies.size, 1)
  assert.deepEqual(upstream.received, [])
})

test('D5: a token in the query is a 401 however its name is spelled, beside a good header too, and is in no log line', async (t) => {
  const { upstream, ask, lines } = await start(t)
  const spelled = fc
    .tuple(
      fc.constantFrom('access_token', 'token', 'authorization', 'bearer', 'api_key', 'id_token', 'jwt'),
      fc.array(fc.boolean()),
    )
    .map(([name, marks]) =>
      [...name].map((char, at) => (marks[at] === true ? `%${char.charCodeAt(0).toString(16)}` : char)).join(''),
    )
  await fc.assert(
    fc.asyncProperty(spelled, fc.boolean(), label, async (name, isUpper, other) => {
      const query = `${isUpper ? name.toUpperCase() : name}=secret-canary`
      const path = `/api/query?namespace=${other}&${query}`
      const { status, text } = await ask('GET', path, ['authorization', 'Bearer good'])
      assert.equal(status, 401, path)
      assert.doesNotMatch(text, /canary/)
    }),
    { numRuns },
  )
  assert.deepEqual(upstream.received, [])
  assert.ok(lines.length >= numRuns)
  assert.doesNotMatch(lines.join(''), /canary/)
})

test('A9: the namespace that was reviewed is the one that the handler filters by, wherever others stand', async (t) => {
  const { upstream, ask } = await start(t)
  const odd = fc.oneof(
    label,
    fc.constantFrom('', '.', '..', 'A', 'a/b', 'a b', '%2e', 'demo\u0000', 'demo,other'),
    fc.string(),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('path', 'query', 'body'), odd, odd, async (where, namespace, other) => {
      upstream.received.length = 0
      const auth = ['authorization', 'Bearer someone']
      const [one, two] = [encodeURIComponent(namespace.toWellFormed()), encodeURIComponent(other.toWellFormed())]
      const { status, text } =
        where === 'path'
          ? await ask('GET', `/api/path/${one}`, auth)
          : where === 'query'
            ? await ask('GET', `/api/query?namespace=${one}&other=${two}`, auth)
            : await ask('POST', '/api/body', [...auth, 'content-type', 'application/json'], {
                namespace: other,
                agent: { namespace },
              })
      const reviews = upstream.received.filter(({ path }) => path.includes('accessreviews'))
      if (status !== 200) {
        assert.ok([400, 404].includes(status), `${where} ${namespace}: ${status} ${text}`)
        // A query or a body is refused as a whole for a text that the store cannot hold.
        const isRefused = where !== 'path' && !isStorable(other)
        assert.ok(isRefused || !isLabel(namespace), `${namespace} is a name`)
        return assert.deepEqual(reviews, [], 'nothing that is no name is reviewed')
      }
      const asked = reviews.map(({ body }) => JSON.stringify(body['spec']))
      const { namespace: filtered } = JSON.parse(text) as { namespace: string }
      assert.equal(filtered, namespace)
      assert.equal(asked.length, 1)
      assert.match(asked[0] ?? '', new RegExp(`"namespace":"${namespace}"`))
    }),
    { numRuns },
  )
})

test('D1, M8: every request is reviewed again, with the decision of that moment', async (t) => {
  const { upstream, ask } = await start(t)
  await fc.assert(
    fc.asyncProperty(token, fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }), async (bearer, answers) => {
      for (const allowed of answers) {
        upstream.received.length = 0
        upstream.allow = () => allowed
        const { status } = await ask('GET', '/api/path/demo', ['authorization', `Bearer ${bearer}`])
        assert.equal(status, allowed ? 200 : 403)
        assert.equal(upstream.received.filter(({ path }) => path.includes('accessreviews')).length, 1)
      }
    }),
    { numRuns: numRuns / 4 },
  )
})

test('D1: a token is remembered at most its time, by the whole of it, and only when it was accepted', async () => {
  const ttlMs = 5000
  // Tokens that share all but their end, asked at rising times; some are refused at first.
  const step = fc.record({
    end: fc.constantFrom('', 'a', 'b', 'aa', '='),
    waitMs: fc.integer({ min: 0, max: 4000 }),
    fails: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.stringMatching(/^[a-z]{8,60}$/), fc.array(step, { maxLength: 30 }), async (prefix, steps) => {
      let now = 0
      const cache = createTokenCache<string>({ ttlMs, now: () => now })
      const loadedAt = new Map<string, number>()
      for (const { end, waitMs, fails } of steps) {
        now += waitMs
        const bearer = `${prefix}${end}`
        let loaded = false
        const load = async (): Promise<string> => {
          loaded = true
          if (fails) throw new Error('refused')
          return bearer
        }
        const known = loadedAt.get(bearer)
        const value = await cache(bearer, '', load).catch(() => undefined)
        assert.equal(loaded, known === undefined || now - known >= ttlMs, `${bearer} at ${now}`)
        if (loaded && fails) loadedAt.delete(bearer)
        else if (loaded) loadedAt.set(bearer, now)
        assert.equal(value, loaded && fails ? undefined : bearer, 'never the name of another token')
      }
    }),
    { numRuns },
  )
})
