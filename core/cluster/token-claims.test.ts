import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Fail } from '#core/errors/domain-error.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { listen } from '#test/harness/listen.ts'
import { createCallers } from './callers.ts'
import { createOwnIdentity } from './token-review.ts'

const encode = (text: string): string => Buffer.from(text).toString('base64url')
const jwtOf = (claims: string): string => `${encode('{}')}.${encode(claims)}.signature`
const jwt = (claims: object): string => jwtOf(JSON.stringify(claims))
const at = Date.parse('2026-11-24T12:00:00Z')
const seconds = at / 1000
const sub = 'system:serviceaccount:team-a:bot'
const fresh = { sub, exp: seconds + 3_600 }

/** An API server that rejects each bearer, and what it was asked. */
async function setUp(t: TestContext) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push((request.url ?? '').split('/').at(-1) ?? '')
    const isReview = request.url?.endsWith('/tokenreviews') === true
    request.resume().on('end', () => {
      response.writeHead(isReview ? 201 : 401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: isReview ? {} : 'Failure', code: 401 }))
    })
  })
  const url = await listen(t, server)
  const pool = createPool(url)
  t.after(() => pool.close())
  const identity = createOwnIdentity({
    cluster: createKubeClient({ server: url, pool, bearer: 'own' }),
    date: () => at,
  })
  const callers = createCallers({ server: url, pool, date: () => at })
  const questionsOf = async (ask: () => Promise<unknown>): Promise<readonly string[]> => {
    asked.length = 0
    await ask()
    return [...asked]
  }
  return {
    identity,
    callers,
    /** What the API server is asked about a bearer of the state role. */
    asState: (bearer: string) =>
      questionsOf(async () => assert.equal(await identity.authenticate(bearer, 'state'), undefined)),
    /** What it is asked about a bearer of the BFF. */
    asCaller: (bearer: string) =>
      questionsOf(() =>
        assert.rejects(callers.as(bearer), (error) => error instanceof Fail && error.code === 'unauthenticated'),
      ),
  }
}

const forOthers: readonly string[] = [
  jwt({ ...fresh, aud: ['gateway'] }),
  jwt({ ...fresh, aud: 'gateway' }),
  jwt({ ...fresh, aud: ['https://kubernetes.default.svc', 'k3s'] }),
  jwt({ ...fresh, aud: [['state']] }),
  jwtOf(`{"sub":"${sub}","aud":${'['.repeat(5_000)}${']'.repeat(5_000)}}`),
]
const expired: readonly string[] = [
  jwt({ ...fresh, aud: ['state'], exp: seconds - 61 }),
  jwt({ sub: 'alice', exp: seconds - 61 }),
  jwt({ exp: -1e308 }),
]

test('R2-CL-11: the state role asks nothing about an expired bearer, or a service account token for others', async (t) => {
  const { asState, identity } = await setUp(t)
  for (const bearer of [...forOthers, ...expired]) {
    assert.deepEqual(await asState(bearer), [], bearer)
    assert.ok(identity.excludes(bearer, 'state'))
    assert.ok(!identity.knows(bearer, 'state'), 'it occupies no place of the cache')
  }
})

test('R2-CL-11: what the claims do not exclude is for the cluster to judge', async (t) => {
  const { asState } = await setUp(t)
  const judged: readonly string[] = [
    jwt({ ...fresh, aud: ['state'] }),
    jwt({ ...fresh, aud: ['gateway', 'state'] }),
    jwt({ ...fresh, aud: 'state' }),
    // As kube-apiserver: up to a minute of leeway.
    jwt({ ...fresh, aud: ['state'], exp: seconds - 59 }),
    // Tokens of other authenticators, and legacy ones of service accounts.
    jwt({ sub: 'alice', aud: ['others'] }),
    jwt({ sub }),
    jwt({ sub, aud: [] }),
    jwt({ sub, aud: {} }),
    jwt({ sub: [sub], aud: 'gateway' }),
    jwt({ exp: '1' }),
    jwt({ exp: null }),
    jwtOf('{"exp":1e999}'),
    jwtOf('{"exp":-1'),
    jwtOf('[1]'),
    jwtOf('"\u0000\ud800"'),
    'opaque',
    'a.b',
    'a.b.c.d',
    '..',
  ]
  for (const bearer of judged) assert.deepEqual(await asState(bearer), ['tokenreviews'], bearer)
})

test('R2-CL-11: at the BFF nothing but an expired bearer is judged before the review', async (t) => {
  const { asCaller, callers } = await setUp(t)
  for (const [bearers, questions] of [
    [forOthers, ['selfsubjectreviews']],
    [expired, []],
  ] as const)
    for (const bearer of bearers) {
      assert.deepEqual(await asCaller(bearer), questions, bearer.slice(0, 100))
      // A rejection is remembered for a moment, so the cluster is not asked about either again.
      assert.ok(callers.knows(bearer))
    }
})
