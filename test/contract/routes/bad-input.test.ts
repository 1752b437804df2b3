import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { forms } from '#test/flows/platform.ts'
import type { UpstreamLog } from '#test/flows/platform/audit-log.ts'
import type { RawAnswer, RawRequest } from '#test/flows/platform/send.ts'
import { sharedPlatform } from '#test/flows/platform/shared-platform.ts'
import type { Platform } from '../../flows/platform/running-platform.ts'

interface Problem {
  readonly code: string
  readonly detail?: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

for (const { form, options } of forms) {
  test(`bad input: ${form}`, { ...options, timeout: 600_000 }, async (t) => {
    const platform = await sharedPlatform(form)
    await t.test('K5: an invalid name is a 400 in every position, without a request to the API server', (inner) =>
      names(platform, inner),
    )
    await t.test('K7: unknown, repeated and mistyped query parameters are a 400 naming the parameter', () =>
      queries(platform),
    )
    await t.test('bodies: unknown field, wrong type, no JSON, too large, another media type', () => bodies(platform))
    await t.test('C1: a cursor that was changed or belongs elsewhere is a 400', () => cursors(platform))
    await t.test('an error in an agent file has its place', () => agentFiles(platform))
    await t.test('a broken agent in a list shows its condition and breaks no list', () => brokenAgent(platform))
  })
}

const tooLong = 'a'.repeat(254)
const bad = [
  '.',
  '..',
  '%2e',
  '%2E%2e',
  '..%2fagents',
  'a%2fb',
  'a%5cb',
  '%00',
  'a%00',
  'A',
  'a_b',
  '-a',
  'a-',
  '%20',
  'a%0d%0ab',
  '%ff',
  'ü',
  tooLong,
  'a'.repeat(1025),
]

/** Paths with a placeholder for a name, and the names that this route itself refuses. */
const holes: readonly { method: string; path(name: string): string; body?: unknown }[] = [
  ...['GET', 'DELETE'].map((method) => ({ method, path: (name: string) => `/api/agents/demo/${name}` })),
  {
    method: 'PUT',
    path: (name) => `/api/agents/demo/${name}`,
    body: { metadata: {}, spec: { model: { route: 'mock' } } },
  },
  ...['versions', 'versions/diff?from=1', 'logs', 'references', 'runs'].map((suffix) => ({
    method: 'GET',
    path: (name: string) => `/api/agents/demo/${name}/${suffix}`,
  })),
  ...['hello', 'hello/logs', 'hello/runs'].map((suffix) => ({
    method: 'GET',
    path: (name: string) => `/api/agents/${name}/${suffix}`,
  })),
  { method: 'POST', path: (name) => `/api/agents/demo/${name}/rollback`, body: { revision: 1 } },
  { method: 'POST', path: (name) => `/api/agents/demo/${name}/fork`, body: { name: 'x' } },
  { method: 'POST', path: (name) => `/api/agents/demo/${name}/publish`, body: { title: 'x' } },
  { method: 'DELETE', path: (name) => `/api/templates/agent/demo/${name}` },
  { method: 'DELETE', path: (name) => `/api/templates/agent/${name}/x` },
  { method: 'PUT', path: (name) => `/api/namespaces/${name}/display-name`, body: { displayName: 'x' } },
  ...['agents', 'templates', 'runs', 'audit', 'events'].map((list) => ({
    method: 'GET',
    path: (name: string) => `/api/${list}?namespace=${name}`,
  })),
  { method: 'GET', path: (name) => `/api/usedby?name=x&namespace=${name}` },
]

async function names({ send, tokens, upstream, kube }: Platform, t: TestContext): Promise<void> {
  const before = (await kube({ path: agentsOf('demo'), bearer: tokens.admin })).json<{ items: unknown[] }>().items
    .length
  const mark = await upstream.mark()
  let held = 0
  for (const { method, path, body } of holes)
    for (const name of bad) {
      const answer = await send({
        method,
        path: path(name),
        bearer: tokens.admin,
        ...(body === undefined ? {} : { body }),
      })
      assert.equal(answer.status, 400, `${method} ${path(name)}: ${answer.status} ${answer.text}`)
      assert.match(problem(answer).code, /^(invalid_name|invalid_query|malformed_request)$/)
      held++
    }
  await assertNoRequests(upstream, mark)
  const later = await upstream.mark()
  for (const name of ['.', '..', '%2e', 'a/b', '\u0000', 'a\u0000', 'A', tooLong, ''])
    for (const request of namedInBody(name)) {
      const answer = await send({ ...request, bearer: tokens.operator })
      assert.equal(
        answer.status,
        400,
        `${request.path} ${JSON.stringify(request.body)}: ${answer.status} ${answer.text}`,
      )
      assert.ok((problem(answer).errors ?? []).length > 0, answer.text)
      held++
    }
  // A malformed run id is answered like an unknown one, without a further request.
  for (const id of ['.', '..', '%2e', 'a%2fb', '%00', tooLong]) {
    const answer = await send({ path: `/api/runs/${id}`, bearer: tokens.operator })
    assert.ok([400, 404].includes(answer.status), `${id}: ${answer.text}`)
  }
  await assertNoRequests(upstream, later, 'selfsubjectreviews')
  const after = (await kube({ path: agentsOf('demo'), bearer: tokens.admin })).json<{ items: unknown[] }>().items.length
  assert.equal(after, before, 'M1: no name became another verb')
  t.diagnostic(`${held} requests`)
}

function namedInBody(name: string): readonly RawRequest[] {
  const spec = { model: { route: 'mock' } }
  const post = (path: string, body: unknown): RawRequest => ({ method: 'POST', path, body })
  return [
    post('/api/agents', { metadata: { name, namespace: 'demo' }, spec }),
    post('/api/agents', { metadata: { name: 'x', namespace: name }, spec }),
    post('/api/agents', { namespace: name, config: { name: 'x', model: { route: 'mock' } } }),
    post('/api/agents', { namespace: 'demo', config: { name, model: { route: 'mock' } } }),
    post('/api/agents/demo/hello/fork', { name }),
    post('/api/agents/demo/hello/publish', { name, title: 'x' }),
    post('/api/runs', { agent: { namespace: 'demo', name }, input: 'x' }),
    post('/api/invoke', { agent: { namespace: name, name: 'hello' }, input: 'x' }),
    post('/api/templates', { metadata: { name, namespace: 'demo' }, spec: { title: 'x', template: { spec } } }),
    post('/api/agents/generate', { prompt: 'x', namespace: name }),
  ]
}

async function queries({ send, tokens, upstream }: Platform): Promise<void> {
  const mark = await upstream.mark()
  const cases: readonly (readonly [string, string])[] = [
    ['/api/agents?colour=red', '?colour'],
    ['/api/agents?namespace=demo&namespace=other', '?namespace'],
    ['/api/agents?limit=0', '?limit'],
    ['/api/agents?limit=201', '?limit'],
    ['/api/agents?limit=-1', '?limit'],
    ['/api/agents?limit=1e2', '?limit'],
    ['/api/agents?limit=', '?limit'],
    ['/api/agents?limit[]=1', '?limit[]'],
    ['/api/agents?scope=all', '?scope'],
    ['/api/runs?state=odd', '?state'],
    ['/api/runs?since=yesterday', '?since'],
    ['/api/runs?state=failed,odd', '?state'],
    ['/api/runs?failReason=odd', '?failReason'],
    ['/api/runs?parent=1', '?parent'],
    ['/api/runs?label=x', '?label'],
    ['/api/runs?minDuration=soon', '?minDuration'],
    ['/api/runs?minDuration=9999999d', '?minDuration'],
    ['/api/runs?order=best', '?order'],
    ['/api/runs?q=%00', '?q'],
    ['/api/runs?q=', '?q'],
    [`/api/runs?q=${'x'.repeat(129)}`, '?q'],
    ['/api/runs/stats?bins=1000000000', '?bins'],
    ['/api/runs/stats?bins=0', '?bins'],
    ['/api/runs/stats?groupBy=colour', '?groupBy'],
    ['/api/runs/stats?top=51', '?top'],
    ['/api/runs?limit=1&limit=1', '?limit'],
    ['/api/audit?outcome=maybe', '?outcome'],
    ['/api/audit?from=yesterday', '?from'],
    ['/api/audit?colour=red', '?colour'],
    ['/api/agents/demo/hello?x=1', '?x'],
    ['/api/agents/demo/hello/logs?tail=many', '?tail'],
    ['/api/agents/demo/hello/logs?follow=yes', '?follow'],
    ['/api/agents/demo/hello/logs?since=soon', '?since'],
    ['/api/agents/demo/hello/versions/diff?from=0', '?from'],
    ['/api/agents/demo/hello/versions/diff', '?from'],
    ['/api/events?after=1', '?after'],
    ['/api/usedby', '?name'],
    ['/api/whoami?name=x', '?name'],
    ['/api/templates?kind=robot', '?kind'],
  ]
  const refused = async (path: string, pointer: string): Promise<void> => {
    const answer = await send({ path, bearer: tokens.operator })
    assert.equal(answer.status, 400, `${path}: ${answer.status} ${answer.text}`)
    assert.equal(problem(answer).errors?.[0]?.pointer, pointer, `${path}: ${answer.text}`)
  }
  for (const [path, pointer] of cases) await refused(path, pointer)
  assert.equal((await send({ path: '/api/agents?namespace=%ff', bearer: tokens.operator })).status, 400)
  await assertNoRequests(upstream, mark)
  // Parameters that exclude each other are compared by the handler, after the review.
  for (const [path, pointer] of comparedCases) await refused(path, pointer)
}

const comparedCases: readonly (readonly [string, string])[] = [
  ['/api/runs?since=2026-11-20T00:00:00Z&from=2026-11-20T00:00:00Z', '?since'],
  ['/api/runs?from=2026-11-20T00:00:00Z&to=2026-11-20T00:00:00Z', '?to'],
  ['/api/runs/stats?interval=7m', '?interval'],
  ['/api/runs/stats?interval=1m', '?interval'],
  ['/api/runs/stats?from=2010-01-01T00:00:00Z', '?from'],
  ['/api/runs/stats?from=2026-11-20T00:00:00Z&to=2026-11-20T00:00:00Z', '?to'],
  ['/api/runs/stats?from=9999-12-31T00:00:00Z', '?to'],
]

async function bodies({ send, tokens, upstream }: Platform): Promise<void> {
  const mark = await upstream.mark()
  const post = (path: string, body: unknown, more: Partial<RawRequest> = {}): Promise<RawAnswer> =>
    send({ method: 'POST', path, body, bearer: tokens.developer, ...more })
  const run = { agent: { namespace: 'demo', name: 'hello' }, input: 'x' }
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['/api/agents', { colour: 1 }, '/colour'],
    ['/api/runs', { ...run, colour: 1 }, '/colour'],
    ['/api/runs', { ...run, agent: { ...run.agent, uid: 'x' } }, '/agent/uid'],
    ['/api/runs', { ...run, labels: { team: 1 } }, '/labels/team'],
    ['/api/runs', { input: 'x' }, '/agent'],
    ['/api/invoke', { ...run, timeout: 5 }, '/timeout'],
    ['/api/invoke', { ...run, timeout: 'long' }, '/timeout'],
    ['/api/invoke', { ...run, timeout: '0s' }, '/timeout'],
    ['/api/invoke', { ...run, timeout: '30d' }, '/timeout'],
    ['/api/invoke', { ...run, timeout: '50d' }, '/timeout'],
    ['/api/agents/demo/hello/rollback', { revision: '1' }, '/revision'],
    ['/api/agents/demo/hello/rollback', { revision: 0 }, '/revision'],
    ['/api/agents/demo/hello/rollback', {}, '/revision'],
    ['/api/agents/demo/hello/fork', { name: 1 }, '/name'],
    ['/api/expand', { config: 'text' }, '/config'],
    ['/api/agents/generate', { prompt: '' }, '/prompt'],
    ['/api/runs', [], ''],
    ['/api/runs', 'text', ''],
    ['/api/runs', null, ''],
  ]
  for (const [path, body, pointer] of cases) {
    const answer = await post(path, body)
    assert.equal(answer.status, 400, `${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`)
    assert.equal(problem(answer).errors?.[0]?.pointer, pointer, `${path} ${JSON.stringify(body)}: ${answer.text}`)
  }
  assert.equal((await post('/api/runs', undefined)).status, 400)
  const broken = await post('/api/runs', Buffer.from('{"agent": sk-canary}'))
  assert.deepEqual([broken.status, problem(broken).code], [400, 'malformed_request'])
  assert.doesNotMatch(broken.text, /sk-canary/)
  const deep = await post('/api/runs', Buffer.from(`{"input":${'['.repeat(100)}${']'.repeat(100)}}`))
  assert.deepEqual([deep.status, problem(deep).code], [400, 'malformed_request'])
  assert.equal((await post('/api/runs', Buffer.from('{"__proto__": {}, "input": 1}'))).status, 400)
  const large = await post('/api/runs', { ...run, input: 'x'.repeat(1024 * 1024) })
  assert.deepEqual([large.status, problem(large).code], [413, 'payload_too_large'])
  for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'application/yaml'])
    assert.equal((await post('/api/runs', run, { contentType })).status, 415, contentType)
  const twice = await post('/api/runs', run, { headers: { 'idempotency-key': ['one', 'two'] } })
  assert.equal(twice.status, 400, twice.text)
  await assertNoRequests(upstream, mark)
}

async function cursors({ send, tokens }: Platform): Promise<void> {
  const first = await send({ path: '/api/agents?namespace=demo&limit=1', bearer: tokens.viewer })
  const { nextCursor } = first.json<{ nextCursor: string }>()
  assert.ok(nextCursor, first.text)
  const next = (query: string, path = '/api/agents'): Promise<RawAnswer> =>
    send({ path: `${path}?${query}`, bearer: tokens.viewer })
  const cursor = encodeURIComponent(nextCursor)
  assert.equal((await next(`namespace=demo&limit=1&cursor=${cursor}`)).status, 200)
  const flipped = cursor.slice(0, -1) + (cursor.endsWith('A') ? 'B' : 'A')
  const middle = Math.floor(cursor.length / 2)
  const changed = cursor.slice(0, middle) + (cursor[middle] === 'a' ? 'b' : 'a') + cursor.slice(middle + 1)
  for (const [query, path] of [
    [`namespace=demo&limit=1&cursor=${changed}`],
    [`namespace=demo&limit=1&cursor=${flipped}`],
    [`namespace=default&limit=1&cursor=${cursor}`],
    [`namespace=demo&labelSelector=a%3Db&limit=1&cursor=${cursor}`],
    [`namespace=demo&limit=1&cursor=nonsense`],
    [`namespace=demo&limit=1&cursor=a.b.c`],
    [`namespace=demo&limit=1&cursor=${cursor}`, '/api/templates'],
    [`namespace=demo&limit=1&cursor=${cursor}`, '/api/runs'],
  ] as const) {
    const answer = await next(query, path)
    assert.deepEqual([answer.status, problem(answer).code], [400, 'invalid_cursor'], `${query}: ${answer.text}`)
  }
}

async function agentFiles({ send, tokens }: Platform): Promise<void> {
  const expand = async (source: string): Promise<Problem> => {
    const answer = await send({ method: 'POST', path: '/api/expand', bearer: tokens.viewer, body: { source } })
    assert.equal(answer.status, 400, answer.text)
    assert.equal(problem(answer).code, 'invalid_agent_file', answer.text)
    return problem(answer)
  }
  const syntax = await expand('name: a\nmodel: {route: mock\n')
  assert.match(JSON.stringify(syntax), /line \d+, column \d+/)
  const field = await expand('name: a\nmodel:\n  route: mock\ncolour: red\n')
  assert.deepEqual(
    field.errors?.map(({ pointer, detail }) => [pointer, /\(line 4, column 1\)/.test(detail)]),
    [['/colour', true]],
  )
  const type = await expand('name: a\nmodel:\n  route: mock\nlimits:\n  maxSteps: many\n')
  assert.match(type.errors?.[0]?.detail ?? '', /line 5, column \d+/)
  assert.equal(type.errors?.[0]?.pointer, '/limits/maxSteps')
}

async function brokenAgent({ send, kube, tokens }: Platform): Promise<void> {
  const create = (name: string, route: string): Promise<RawAnswer> =>
    send({
      method: 'POST',
      path: '/api/agents',
      bearer: tokens.developer,
      body: { namespace: 'default', config: { name, model: { route } } },
    })
  const list = async (): Promise<readonly Item[]> => {
    const answer = await send({ path: '/api/agents?namespace=default', bearer: tokens.viewer })
    assert.equal(answer.status, 200, answer.text)
    return answer.json<{ items: Item[] }>().items
  }
  const others = new Set((await list()).map(({ metadata }) => metadata.name))
  assert.equal((await create('broken', 'no-such-route')).status, 201)
  assert.equal((await create('whole', 'mock')).status, 201)
  // Created at the API server, with annotations that none of our writers sets.
  const odd = {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'AgentDeployment',
    metadata: {
      name: 'odd',
      namespace: 'default',
      annotations: { 'mesh.dev/rollback-to': 'not a number', 'mesh.dev/source': '{' },
    },
    spec: { model: { route: 'mock' } },
  }
  assert.equal(
    (await kube({ method: 'POST', path: agentsOf('default'), bearer: tokens.developer, body: odd })).status,
    201,
  )
  interface Item {
    metadata: { name: string }
    status?: { conditions?: { type: string; status: string; reason: string; message: string }[] }
  }
  const of = (items: readonly Item[], name: string, type: string) =>
    items.find(({ metadata }) => metadata.name === name)?.status?.conditions?.find((one) => one.type === type)
  for (;;) {
    const items = await list()
    const made = items.filter(({ metadata }) => !others.has(metadata.name))
    assert.deepEqual(
      made.map(({ metadata }) => metadata.name),
      ['broken', 'odd', 'whole'],
    )
    const refs = of(items, 'broken', 'ResolvedRefs')
    const settled = of(items, 'whole', 'Ready')?.status === 'True' && of(items, 'odd', 'Ready')?.status === 'True'
    if (settled && refs?.status === 'False') {
      assert.match(refs.message, /no-such-route/)
      return
    }
    await pause(50)
  }
}

// Excludes admin, whose account runs the workloads of this machine. Names inside a body are read by the handler, after authentication.
async function assertNoRequests(upstream: UpstreamLog, mark: number, but?: string): Promise<void> {
  const asked = (await upstream.since(mark)).filter(
    // Authentication precedes validation (ADR 0023).
    ({ user, uri }) => ['operator', 'developer'].includes(user) && !uri.endsWith('/selfsubjectreviews'),
  )
  assert.deepEqual(but === undefined ? asked : asked.filter(({ uri }) => !uri.endsWith(but)), [])
}

function agentsOf(namespace: string): string {
  return `/apis/mesh.dev/v1alpha1/namespaces/${namespace}/agentdeployments`
}

function problem(answer: RawAnswer): Problem {
  assert.match(String(answer.headers['content-type']), /problem\+json/, answer.text)
  return answer.json<Problem>()
}
