import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { endpoint } from './endpoint/endpoint.ts'
import { buildServer, DENIED, REJECTED } from './testing/build-server.ts'

const listRuns = endpoint({
  method: 'GET',
  url: '/items/:ns/:name',
  summary: 'reads',
  authz: { kind: 'review', verb: 'get', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
  query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1 })) }),
  response: { 200: Type.Object({ name: Type.String(), limit: Type.Optional(Type.Integer()) }) },
  handle: async ({ params, query }) => ({ name: params.name, ...query }),
})
const postRun = endpoint({
  method: 'POST',
  url: '/items/:ns/:name',
  summary: 'writes',
  authz: { kind: 'review', verb: 'create', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
  body: Type.Object({ text: Type.String() }),
  response: { 201: Type.Object({ text: Type.String() }) },
  handle: async ({ body }) => body,
})
const bodyReviewed = endpoint({
  method: 'POST',
  url: '/by-body',
  summary: 'reviews the namespace of the body',
  authz: {
    kind: 'review',
    verb: 'create',
    resource: 'agentdeployments/invoke',
    namespace: { in: 'body', field: 'agent.namespace' },
    name: 'agent.name',
  },
  body: Type.Object({ agent: Type.Object({ namespace: Type.String(), name: Type.String() }) }),
  response: { 201: Type.Object({ namespace: Type.String() }) },
  handle: async ({ access }) => ({ namespace: access.namespace }),
})

const good = { authorization: 'Bearer good-token' }
const json = { 'content-type': 'application/json' }

test('SEC29, order of checks: bearer, gate, 405, names and query, review, body; each before the next', async (t) => {
  const ready = await buildServer(t, [{ endpoints: [listRuns, postRun, bodyReviewed] }])
  const unwired = await buildServer(t, [{ wiring: 'unwired', endpoints: [listRuns, postRun] }])
  const hidden = await buildServer(t, [{ wiring: 'hidden', endpoints: [listRuns, postRun] }])
  const ask = async (server: typeof ready, line: string, headers: object, payload?: string) => {
    server.upstream.length = 0
    const [method = '', url = ''] = line.split(' ')
    const answer = await server.app.inject({
      method: method as 'GET',
      url,
      headers: { ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    return [
      answer.statusCode,
      answer.body === '' ? '' : (answer.json<{ code?: string }>().code ?? ''),
      ...server.upstream,
    ]
  }
  const bad = '/api/items/UPPER/x?limit=x'
  // bearer before gate, 404, 405, names
  assert.deepEqual(await ask(unwired, `GET ${bad}`, {}), [401, 'unauthenticated'])
  assert.deepEqual(await ask(hidden, `GET ${bad}`, {}), [401, 'unauthenticated'])
  assert.deepEqual(await ask(ready, `PATCH ${bad}`, {}), [401, 'unauthenticated'])
  assert.deepEqual(await ask(ready, `GET ${bad}`, {}), [401, 'unauthenticated'])
  assert.deepEqual(await ask(ready, 'POST /api/items/default/x', json, '{'), [401, 'unauthenticated'])
  assert.deepEqual(await ask(ready, 'GET /api/nothing', {}), [401, 'unauthenticated'])
  // a bearer rejected by the cluster gets the same response, before the same checks
  const rejected = { authorization: `Bearer ${REJECTED}` }
  for (const server of [unwired, hidden, ready])
    for (const line of [`GET ${bad}`, `PATCH ${bad}`, `POST ${bad}`, 'GET /api/nothing', 'PROPFIND /api/nothing'])
      assert.deepEqual(await ask(server, line, { ...rejected, ...json }, '{'), [401, 'unauthenticated', 'as'], line)
  // gate before 405, names, body
  assert.deepEqual(await ask(unwired, `PATCH ${bad}`, good), [501, 'not_wired', 'as'])
  assert.deepEqual(await ask(unwired, `GET ${bad}`, good), [501, 'not_wired', 'as'])
  assert.deepEqual(await ask(unwired, `POST ${bad}`, { ...good, ...json }, '{'), [501, 'not_wired', 'as'])
  assert.deepEqual(await ask(hidden, `PATCH ${bad}`, good), [404, 'not_found', 'as'])
  // 405 before names
  assert.deepEqual(await ask(ready, `PATCH ${bad}`, { ...good, ...json }, '{'), [405, 'method_not_allowed', 'as'])
  // Names and query are checked before review and body.
  assert.deepEqual(await ask(ready, 'GET /api/items/UPPER/x', { authorization: `Bearer ${DENIED}` }), [
    400,
    'invalid_name',
    'as',
  ])
  assert.deepEqual(await ask(ready, 'GET /api/items/default/x?limit=x', { authorization: `Bearer ${DENIED}` }), [
    400,
    'invalid_query',
    'as',
  ])
  assert.deepEqual(await ask(ready, 'POST /api/items/UPPER/x', { ...good, ...json }, '{'), [400, 'invalid_name', 'as'])
  // review before body, for every kind of invalid body
  const denied = { authorization: `Bearer ${DENIED}` }
  const refused = [403, 'forbidden', 'as', 'review create runs in default']
  assert.deepEqual(await ask(ready, 'POST /api/items/default/x', { ...denied, ...json }, '{'), refused)
  assert.deepEqual(
    await ask(ready, 'POST /api/items/default/x', { ...denied, 'content-type': 'text/csv' }, 'a'),
    refused,
  )
  assert.deepEqual(
    await ask(ready, 'POST /api/items/default/x', { ...denied, ...json }, `"${'x'.repeat(2 ** 20)}"`),
    refused,
  )
  assert.deepEqual(await ask(ready, 'POST /api/items/default/x', { authorization: `Bearer ${REJECTED}` }, '{'), [
    401,
    'unauthenticated',
    'as',
  ])
  // body
  const reviewed = ['as', 'review create runs in default']
  assert.deepEqual(await ask(ready, 'POST /api/items/default/x', { ...good, ...json }, '{"text":1}'), [
    400,
    'invalid_body',
    ...reviewed,
  ])
  assert.deepEqual(await ask(ready, 'POST /api/items/default/x', { ...good, ...json }, '{'), [
    400,
    'malformed_request',
    ...reviewed,
  ])
  assert.deepEqual(await ask(ready, 'POST /api/items/default/x', { ...good, 'content-type': 'text/csv' }, 'a'), [
    415,
    'unsupported_media_type',
    ...reviewed,
  ])
  assert.deepEqual(await ask(ready, 'POST /api/items/default/x', { ...good, ...json }, `"${'x'.repeat(2 ** 20)}"`), [
    413,
    'payload_too_large',
    ...reviewed,
  ])
  assert.deepEqual(await ask(ready, 'POST /api/items/default/x', { ...good, ...json }, '{"text":"a"}'), [
    201,
    '',
    ...reviewed,
  ])
  // a namespace in the body: the body first, then its name (M4), then the review
  const ofBody = (agent: object) => JSON.stringify({ agent })
  assert.deepEqual(await ask(ready, 'POST /api/by-body', { ...denied, ...json }, '{"agent":{}}'), [
    400,
    'invalid_body',
    'as',
  ])
  assert.deepEqual(
    await ask(ready, 'POST /api/by-body', { ...denied, ...json }, ofBody({ namespace: '..', name: 'a' })),
    [400, 'invalid_name', 'as'],
  )
  const invoke = ['as', 'review create agentdeployments/invoke in team a']
  assert.deepEqual(
    await ask(ready, 'POST /api/by-body', { ...denied, ...json }, ofBody({ namespace: 'team', name: 'a' })),
    [403, 'forbidden', ...invoke],
  )
  assert.deepEqual(
    await ask(ready, 'POST /api/by-body', { ...good, ...json }, ofBody({ namespace: 'team', name: 'a' })),
    [201, '', ...invoke],
  )
  // a valid request, and HEAD of it
  const found = await ready.app.inject({ method: 'GET', url: '/api/items/default/a.b?limit=3', headers: good })
  assert.deepEqual([found.statusCode, found.json()], [200, { name: 'a.b', limit: 3 }])
  const head = await ready.app.inject({ method: 'HEAD', url: '/api/items/default/a.b?limit=3', headers: good })
  assert.deepEqual([head.statusCode, head.body, head.headers['content-length']], [200, '', String(found.body.length)])
})
