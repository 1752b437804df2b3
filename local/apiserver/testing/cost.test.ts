import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { ROLES, cases } from './cost-cases.ts'
import type { Case } from './cost-cases.ts'
import { ADMIN, OTHER, startTestServer } from './test-server.ts'
import type { TestServer } from './test-server.ts'

// `npm run test:long` asks with four times as much.
const SMALL = (process.env['MESH_LONG'] === 'true' ? 64 : 16) * 1024
const LARGE = 8 * SMALL

/** CPU milliseconds of one request: time spent in other processes of a busy machine does not count. */
async function cost(server: TestServer, given: Case, bytes: number): Promise<number> {
  const { method, path, type = 'application/json' } = given
  const headers = (as: string) => ({ authorization: `Bearer ${ADMIN}`, 'content-type': as, 'user-agent': 'cost/1' })
  const before = given.prepare?.(bytes)
  if (before) {
    const { method: how = 'POST', type: as = 'application/json', path: at, body } = before
    const made = await fetch(server.url + at, { method: how, headers: headers(as), body })
    const answered = await made.text()
    assert.ok(made.status < 300, `${given.name}: preparation ${made.status} ${answered.slice(0, 300)}`)
  }
  const body = given.body(bytes)
  const start = process.cpuUsage()
  const answer = await fetch(server.url + path, { method, headers: headers(type), body })
  const text = await answer.text()
  const { user, system } = process.cpuUsage(start)
  assert.doesNotMatch(text, /Internal error occurred/, given.name)
  return (user + system) / 1000
}

test('F2, SEC16: the worst bodies of each kind cost about eight times as much when they are eight times as long', async (t) => {
  const server = await startTestServer(t, { controllers: false })
  for (const given of cases) await t.test(given.name, (each) => grows(each, server, given))
})

/** A pairwise comparison grows 64 times. */
const GROWTH = 10

/** Caches and collections of a machine that others use too. */
const NOISE = 1.4

async function grows(t: TestContext, server: TestServer, given: Case): Promise<void> {
  const best = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  const limit = () => GROWTH * NOISE * Math.max(best.small, 4)
  for (let round = 0; round < 5; round += 1) {
    best.small = Math.min(best.small, await cost(server, given, SMALL))
    best.large = Math.min(best.large, await cost(server, given, LARGE))
    if (best.large <= limit()) break
  }
  t.diagnostic(`${given.name}: ${best.small.toFixed(1)} ms, ${best.large.toFixed(1)} ms`)
  assert.ok(best.large <= limit(), `${given.name}: from ${best.small} to ${best.large} ms`)
}

test('F2: rules that combine to a billion rights are refused before they are counted out', async (t) => {
  const server = await startTestServer(t, { controllers: false })
  const bind = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'other' } }
  const rules = [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['create'] }]
  const made = await server.call('POST', ROLES, { ...bind, kind: 'Role', rules })
  assert.equal(made.code, 201)
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'other' }
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'other' }]
  const bound = await server.call('POST', ROLES.replace('/roles', '/rolebindings'), {
    ...bind,
    kind: 'RoleBinding',
    roleRef,
    subjects,
  })
  assert.equal(bound.code, 201)
  const many = (letter: string) => Array.from({ length: 1_000 }, (_, i) => `${letter}${i}`)
  const wide = { apiGroups: many('g'), resources: many('r'), verbs: many('v') }
  const refused = await server.call(
    'POST',
    ROLES,
    { ...bind, kind: 'Role', metadata: { name: 'wide' }, rules: [wide] },
    { token: OTHER },
  )
  assert.equal(refused.code, 403)
  assert.match(String(refused.body['message']), /more rights than can be checked/)
})
