import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { createServedDirectory } from '#core/cluster/namespace-directory.ts'
import { parseLabel } from '#core/kube/names.ts'
import { namespaceQuery, scope } from '#schemas/api/common.ts'
import { checkEndpoint } from './endpoint/check-endpoint.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { buildServer, DENIED } from './testing/build-server.ts'

const query = Type.Object(
  { namespace: Type.Optional(namespaceQuery), scope: Type.Optional(scope) },
  { additionalProperties: false },
)

const sum = (none: 'empty' | 'denied', url: string) =>
  endpoint({
    method: 'GET',
    url,
    summary: 'sums',
    authz: { kind: 'review', verb: 'list', resource: 'runs', namespace: { in: 'scope', none } },
    query,
    response: { 200: Type.Array(Type.String()) },
    handle: async ({ access }) => access.map(({ namespace }) => namespace),
  })

test('R2-M13: a scope is one namespace, the cluster, or what the caller may read', async (t) => {
  const directory = createServedDirectory(['a', 'b'].map((name) => parseLabel('namespace', name)))
  const endpoints = [sum('empty', '/sum'), sum('denied', '/log')]
  const { app, upstream } = await buildServer(t, [{ endpoints }], { directory })
  const ask = async (url: string, token = 'good-token') => {
    upstream.length = 0
    const response = await app.inject({ url: `/api${url}`, headers: { authorization: `Bearer ${token}` } })
    return [response.statusCode, response.json(), upstream.slice(1)]
  }
  const reviewed = (...places: string[]) => places.map((place) => `review list runs in ${place}`)
  assert.deepEqual(await ask('/sum?namespace=a'), [200, ['a'], reviewed('a')])
  assert.deepEqual(await ask('/sum?namespace=a&scope=permitted'), [200, ['a'], reviewed('a')])
  assert.deepEqual(await ask('/sum'), [200, [''], reviewed('*')])
  assert.deepEqual(await ask('/sum?scope=permitted'), [200, [''], reviewed('*')])
  assert.deepEqual(await ask('/sum?scope=permitted', DENIED), [200, [], reviewed('*', 'a', 'b')])
  for (const path of ['/log?scope=permitted', '/log', '/sum', '/sum?namespace=a&scope=permitted']) {
    const [status, body] = await ask(path, DENIED)
    assert.equal(status, 403, path)
    assert.ok(!JSON.stringify(body).includes('"b"'))
  }
  for (const bad of ['scope=all', 'scope=permitted&scope=permitted', 'scope=permitted%00', 'namespace=UPPER'])
    assert.equal((await ask(`/sum?${bad}`, DENIED))[0], 400, bad)
})

test('R2-M13: a scope needs its two parameters, and names its group in the resource', () => {
  const declared = sum('empty', '/sum')
  assert.throws(() => checkEndpoint({ ...declared, query: Type.Object({}) }), /GET \/sum: .*namespace and scope/)
  const authz = { ...declared.authz, group: 'acme.example' }
  assert.throws(() => checkEndpoint({ ...declared, authz }), /names its group in authz.resource/)
  const odd = { ...declared.authz, namespace: { in: 'scope' } }
  assert.throws(() => checkEndpoint({ ...declared, authz: odd }), /authz.namespace must be/)
})
