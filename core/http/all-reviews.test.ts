import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import type { Access } from '#core/cluster/caller.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { toOpenApi } from './openapi/document.ts'
import { buildServer, DENIED, UNREADING } from './testing/build-server.ts'

const proofs = Type.Array(Type.String())
const describe = ({ verb, resource, namespace }: Access): string => `${verb} ${resource} in ${namespace}`

const promote = endpoint({
  method: 'POST',
  url: '/promotions/:ns/:id',
  summary: 'x',
  authz: {
    kind: 'all',
    of: [
      { kind: 'review', verb: 'update', resource: 'agentdeployments', namespace: { in: 'path', field: 'ns' } },
      { kind: 'kube', verb: 'patch', resource: 'agentdeployments' },
      {
        kind: 'review',
        verb: 'get',
        resource: 'runs',
        group: 'acme.example',
        namespace: { in: 'body', field: 'from' },
      },
    ],
  },
  params: Type.Object({ id: Type.Integer() }),
  body: Type.Object({ from: Type.String() }),
  idempotent: false,
  response: { 201: proofs },
  handle: async ({ access: [updated, patched, read], params, reply }) => {
    // Types follow from the declaration: these lines do not compile otherwise.
    const typed: readonly [Access<'update', 'agentdeployments'>, undefined, Access<'get', 'runs'>] = [
      updated,
      patched,
      read,
    ]
    const [id, ns]: readonly [number, string] = [params.id, params.ns]
    // @ts-expect-error a handler returns its body: the reply of the framework is not part of the contract
    assert.equal(typeof reply.send, 'function')
    // @ts-expect-error a parameter that is not in the path
    assert.equal(params.name, undefined)
    return [`${ns} ${id}`, describe(typed[0]), describe(typed[2])]
  },
})

test('authz of kind all: each review is made in its order, and the handler gets the proofs', async (t) => {
  const { app, upstream, outcomes, services } = await buildServer(t, [{ endpoints: [promote] }])
  const send = (bearer: string, url = '/api/promotions/demo/7', payload: object = { from: 'other' }) => {
    upstream.length = 0
    return app.inject({ method: 'POST', url, headers: { authorization: `Bearer ${bearer}` }, payload })
  }
  const answer = await send('good')
  assert.deepEqual(answer.json(), ['demo 7', 'update agentdeployments in demo', 'get runs in other'])
  assert.deepEqual(upstream, [
    'as',
    'review update agentdeployments in demo',
    'review get runs in other (acme.example)',
  ])
  // The second review denies: nothing of the handler ran, and the outcome has the name of the first check.
  assert.equal((await send(UNREADING)).statusCode, 403)
  assert.equal((await send(DENIED)).statusCode, 403)
  assert.deepEqual(upstream, ['as', 'review update agentdeployments in demo'])
  assert.deepEqual(
    outcomes.map(({ action, resourceKind, outcome }) => [action, resourceKind, outcome]),
    Array.from({ length: 2 }, () => ['update', 'agentdeployments', 'denied']),
  )
  // Names of every part are parsed before the review that needs them.
  assert.equal((await send('good', '/api/promotions/UPPER/7')).statusCode, 400)
  assert.deepEqual(upstream, ['as'])
  assert.equal((await send('good', '/api/promotions/demo/7', { from: 'UPPER' })).statusCode, 400)
  assert.equal((await send('good', '/api/promotions/demo/x')).statusCode, 400)
  const { paths } = toOpenApi({ catalog: services.catalog, version: '0', summaries: new Map() }) as {
    paths: Record<string, { post: { description: string; 'x-mesh-authz': string } }>
  }
  const operation = paths['/api/promotions/{ns}/{id}']?.post
  assert.equal(
    operation?.['x-mesh-authz'],
    'all: review: update agentdeployments and kube: patch agentdeployments and review: get runs.acme.example',
  )
  assert.match(operation.description, /review of `update agentdeployments` as the caller; and the cluster checks/)
})

test('authz of kind all: what cannot be a member, and a replay without every review, are refused', async (t) => {
  const review = { kind: 'review', verb: 'get', resource: 'runs', namespace: { in: 'cluster' } } as const
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ authz: { kind: 'all', of: [review] } }, /POST \/promotions\/:ns\/:id: authz.of must be at least two/],
    [{ authz: { kind: 'all', of: 'x' } }, /authz.of must be/],
    [{ authz: { kind: 'all', of: [review, { kind: 'public', shownBy: 'anyone' }] } }, /authz.of must be/],
    [{ authz: { kind: 'all', of: [review, { kind: 'all', of: [review, review] }] } }, /authz.of must be/],
    [{ authz: { kind: 'all', of: [review, { kind: 'review' }] } }, /authz.verb must be a string/],
    [{ idempotent: true }, /needs a review/],
  ]
  for (const [more, message] of refused)
    await assert.rejects(buildServer(t, [{ endpoints: [{ ...promote, ...more }] }]), message)
  const replayed = { ...promote, authz: { kind: 'all', of: [review, review] }, idempotent: true } as const
  await buildServer(t, [{ endpoints: [replayed] }])
})
