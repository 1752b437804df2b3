import { KubeError } from '#core/kube/status.ts'
import assert from 'node:assert/strict'
import type { Access } from '#core/cluster/caller.ts'
import test from 'node:test'
import { Fail } from '#core/errors/domain-error.ts'
import type { Intent, Outcome } from '../endpoint/extension-points.ts'
import { buildServer, DENIED } from '../testing/build-server.ts'
import { free, good, listed, posted, route, start } from '../testing/hardened.ts'

test('A2: an act that leaves no record runs once its intent is stored; its outcome refers to it, success or failure', async (t) => {
  const did: string[] = []
  const act = route({
    method: 'POST',
    url: '/acts/:ns/:name',
    authz: { kind: 'review', verb: 'create', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
    audit: { action: 'rotate', resourceKind: 'ModelProvider', intent: true },
    handle: async ({ params }) => {
      did.push(`act ${params.name}`)
      if (params.name === 'bad') throw new Fail('invalid_body')
      return {}
    },
  })
  const { app, outcomes, services } = await start(t, [act])
  t.mock.method(services, 'outcomes', () => [
    {
      record: (outcome: Outcome) => outcomes.push(outcome),
      intend: async ({ name, id }: Intent) => {
        await new Promise(setImmediate)
        did.push(`intent ${name} ${typeof id}`)
        // A failing sink does not stop the request.
        if (name === 'lost') throw new Error('disk')
      },
    },
  ])
  const post = (name: string, token = 'good-token') =>
    app.inject({ method: 'POST', url: `/api/acts/default/${name}`, headers: { authorization: `Bearer ${token}` } })
  for (const name of ['good', 'bad', 'lost']) await post(name)
  await post('no', DENIED)
  assert.deepEqual(did, [
    'intent good string',
    'act good',
    'intent bad string',
    'act bad',
    'intent lost string',
    'act lost',
  ])
  const recorded = outcomes.map(({ name, outcome, intent, action }) => [name, outcome, action, typeof intent])
  assert.deepEqual(recorded, [
    ['good', 'success', 'rotate', 'string'],
    ['bad', 'error', 'rotate', 'string'],
    ['lost', 'success', 'rotate', 'string'],
    // A denial precedes the intent, and is counted with others.
    ['no', 'denied', 'rotate', 'undefined'],
  ])
})

test('denied and failed mutations are reported to the audit point, bad requests are not', async (t) => {
  const failing = route({
    method: 'POST',
    url: '/items/:ns/:name',
    authz: { kind: 'review', verb: 'create', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
    body: free,
    audit: { action: 'connect', resourceKind: 'Run' },
    handle: async () => {
      throw new Error('inside secret-canary')
    },
  })
  const { app, outcomes } = await start(t, [failing, listed])
  const post = (token: string, body: string) =>
    app.inject({
      method: 'POST',
      url: '/api/items/default/x',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      },
      payload: body,
    })
  const denied = await post(DENIED, '{"password":"secret-canary"}')
  const failed = await post('good-token', '{"password":"secret-canary"}')
  await post('good-token', '{')
  await app.inject({ url: '/api/things', headers: { authorization: `Bearer ${DENIED}` } })
  const common = { action: 'connect', resourceKind: 'Run', namespace: 'default', name: 'x' }
  const [ofDenied, ofFailed] = [denied, failed].map((answer) => answer.json<{ traceId: string }>().traceId)
  const recorded = outcomes.map(({ traceparent, ...rest }) => ({ ...rest, traceId: traceparent.split('-')[1] }))
  assert.deepEqual(recorded, [
    { actor: 'denied', ...common, traceId: ofDenied, outcome: 'denied', code: 'forbidden' },
    { actor: 'test', ...common, traceId: ofFailed, outcome: 'error', code: 'internal_error' },
  ])
  assert.equal(failed.statusCode, 500)
  assert.doesNotMatch(failed.body, /canary/)
  assert.notEqual(ofFailed, 'a'.repeat(32), 'SEC26: the trace of a caller is not that of its acts')
})

test('A2: a request whose caller the cluster cannot name has no outcome', async (t) => {
  const failures = [new Fail('review_unavailable'), new Fail('unauthenticated'), new KubeError(503, 'Gone', 'away')]
  const cluster = { as: () => Promise.reject(failures.shift()) }
  const { app, outcomes } = await start(t, [posted, listed], { cluster })
  const post = () =>
    app.inject({
      method: 'POST',
      url: '/api/things',
      headers: { ...good, 'content-type': 'application/json' },
      payload: '{"count":1}',
    })
  const statuses = [await post(), await post(), await post()].map(({ statusCode }) => statusCode)
  assert.deepEqual(statuses, [503, 401, 503])
  assert.deepEqual(outcomes, [])
})

test('a route that repeats stored answers must have a review that comes before them', async (t) => {
  const repeating = { method: 'POST', idempotent: true } as const
  for (const authz of [
    { kind: 'bearer' },
    { kind: 'kube', verb: 'create', resource: 'agentdeployments' },
    { kind: 'row', verb: 'update', resource: 'runs' },
  ] as const)
    await assert.rejects(buildServer(t, [{ endpoints: [route({ ...repeating, authz })] }]), /needs a review/)
  const asked: string[] = []
  const { app } = await buildServer(t, [
    {
      endpoints: [
        route({
          ...repeating,
          authz: { kind: 'row', verb: 'update', resource: 'runs' },
          review: (call) => {
            asked.push('review')
            return call.caller.review('update', 'runs', { namespace: '' })
          },
          handle: async ({ access }) => {
            asked.push(`handle ${(access as Access).verb}`)
            return {}
          },
        }),
      ],
    },
  ])
  const post = (bearer: string) =>
    app.inject({ method: 'POST', url: '/api/things', headers: { authorization: `Bearer ${bearer}` } })
  assert.equal((await post('good-token')).statusCode, 200)
  assert.equal((await post(DENIED)).statusCode, 403)
  assert.deepEqual(asked, ['review', 'handle update', 'review'])
})
