import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { KubeClient, Resource } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AgentRegistry } from '#schemas/crds/agent-registry.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { needs } from '#test/harness/find-server.ts'
import { createModelGateway } from '../generate/model-gateway.ts'
import type { RequirementCheck } from '../contract/points.ts'
import { controllerRevisions } from '../contract/resources.ts'
import { agentKind } from '../kinds.ts'
import { agentEndpoints } from './index.ts'
import { schemaReferences } from '../references/references.ts'
import { servePlugin } from '../testing/serve.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')

async function setUp(t: TestContext, gatewayUrl = 'http://127.0.0.1:1', checks: readonly RequirementCheck[] = []) {
  const gateway = createModelGateway(gatewayUrl)
  const services = {
    now: () => new Date(),
    gateway,
    generateRoute: 'mock',
    checks: () => checks,
    kinds: () => kindsOf(plugins),
    references: () => schemaReferences,
    documents: () => [],
    runs: undefined,
    budgetOf: () => undefined,
    prompts: () => undefined,
    evalGate: () => undefined,
    effective: () => [],
  }
  const endpoints = [...agentKind.endpoints, ...agentEndpoints(services)]
  return servePlugin(t, 'agents', () => endpoints)
}

const config = (name: string) => ({ name, model: { route: 'mock' }, systemPrompt: 'Hi.' })

interface Problem {
  code: string
  errors?: { pointer: string; detail: string }[]
  cluster?: { reason: string; message: string }
}

async function addRevision(admin: KubeClient, agent: AgentDeploymentObject, revision: number, route: string) {
  const { uid = '', name, namespace = '' } = agent.metadata
  const object = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-r${revision}`,
      namespace,
      labels: { 'mesh.dev/agent': name },
      ownerReferences: [{ apiVersion: agent.apiVersion, kind: agent.kind, name, uid, controller: true }],
    },
    data: { spec: { ...agent.spec, model: { route } }, resolved: {} },
    revision,
  }
  await admin.create(controllerRevisions, object)
}

const readAgent = (admin: KubeClient, namespace: DnsLabel, name: string) =>
  admin.get<AgentDeploymentObject>(AgentDeployment, { namespace, name: parseName('name', name) })

test('create accepts the simplified format and the object, and returns 201 with Location and ETag', real, async (t) => {
  const { ask, admin, namespace } = await setUp(t)
  const made = await ask('developer', 'POST', '/agents', { namespace, config: config('one') })
  assert.equal(made.status, 201, made.text)
  assert.equal(made.headers['location'], `/api/agents/${namespace}/one`)
  const stored = await readAgent(admin, namespace, 'one')
  // A reconciler of another test file may have written a status since.
  assert.equal(made.headers['etag'], `"${made.json<AgentDeploymentObject>().metadata.resourceVersion}"`)
  assert.deepEqual(stored.spec, { executionModel: 'service', model: { route: 'mock' }, systemPrompt: 'Hi.' })
  const object = {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'AgentDeployment',
    metadata: { name: 'two', namespace },
    spec: stored.spec,
  }
  assert.equal((await ask('developer', 'POST', '/agents', object)).status, 201)
  assert.equal((await ask('developer', 'POST', '/agents', object)).json<Problem>().code, 'already_exists')
})

test('a dry run stores nothing', real, async (t) => {
  const { ask, admin, namespace } = await setUp(t)
  const made = await ask('developer', 'POST', '/agents?dryRun=All', { namespace, config: config('ghost') })
  assert.equal(made.status, 201, made.text)
  await assert.rejects(readAgent(admin, namespace, 'ghost'), { status: 404 })
})

test('an invalid body is a 400 that names the field, without a call of the cluster', real, async (t) => {
  const { ask, namespace } = await setUp(t)
  const good = config('x')
  const cases: [unknown, string, string][] = [
    [{ namespace, config: { ...good, colour: 1 } }, 'invalid_agent_file', '/config/colour'],
    [{ namespace, config: { ...good, schedule: 'x' } }, 'invalid_agent_file', '/config/schedule'],
    [{ namespace, config: { ...good, namespace: 'else' } }, 'invalid_body', '/config/namespace'],
    [{ config: good }, 'invalid_body', '/namespace'],
    [{ namespace, config: good, spec: {} }, 'invalid_body', '/spec'],
    [{ namespace, config: { ...good, name: '..' } }, 'invalid_agent_file', '/config/name'],
    [{ metadata: { name: '..', namespace }, spec: {} }, 'invalid_name', '/metadata/name'],
    [{ metadata: { name: 'a', namespace: 'a/b' }, spec: {} }, 'invalid_name', '/metadata/namespace'],
    [{ metadata: { name: 'a', namespace }, kind: 'Pod', spec: {} }, 'invalid_body', '/kind'],
    [{ metadata: { name: 'a', namespace } }, 'invalid_body', '/spec'],
    [{ colour: 1 }, 'invalid_body', '/colour'],
    [[], 'invalid_body', ''],
  ]
  for (const [body, code, pointer] of cases) {
    const answer = await ask('developer', 'POST', '/agents', body)
    assert.equal(answer.status, 400, answer.text)
    const problem = answer.json<Problem>()
    assert.equal(problem.code, code, answer.text)
    assert.equal(problem.errors?.[0]?.pointer, pointer, answer.text)
  }
})

test('a refusal of the cluster is a 422 with the field and without the value', real, async (t) => {
  const { ask, namespace } = await setUp(t)
  const metadata = { name: 'a', namespace }
  const spec = { model: { route: 'mock' }, limits: { timeout: 'sk-canary' } }
  const refused = await ask('developer', 'POST', '/agents', { metadata, spec })
  assert.equal(refused.status, 422)
  assert.ok(
    refused.json<Problem>().errors?.some((error) => error.pointer === '/spec/limits/timeout'),
    refused.text,
  )
  assert.doesNotMatch(refused.text, /sk-canary/)
  const memory = { model: { route: 'mock' }, resources: { limits: { memory: '128 MB' } } }
  const quantity = (await ask('developer', 'POST', '/agents', { metadata, spec: memory })).json<Problem>().errors
  assert.deepEqual(quantity, [
    { pointer: '/spec/resources/limits/memory', detail: 'Invalid value: must be a quantity such as 500m, 2 or 128Mi' },
  ])
  const unknown = await ask('developer', 'POST', '/agents', { metadata, spec: { model: { route: 'mock' }, colour: 1 } })
  assert.equal(unknown.json<Problem>().errors?.[0]?.pointer, '/spec/colour', unknown.text)
})

test('a denial is the 403 of the cluster with its message, and an audit outcome', real, async (t) => {
  const { ask, namespace, outcomes } = await setUp(t)
  for (const who of ['viewer', 'other-tenant', 'unbound']) {
    const denied = await ask(who, 'POST', '/agents', { namespace, config: config('x') })
    assert.equal(denied.status, 403)
    assert.match(
      denied.json<Problem>().cluster?.message ?? '',
      new RegExp(`User "${who}" cannot create resource "agentdeployments"`),
    )
  }
  assert.deepEqual(
    outcomes.map(({ actor, action, resourceKind, outcome }) => [actor, action, resourceKind, outcome]),
    ['viewer', 'other-tenant', 'unbound'].map((actor) => [actor, 'create', 'AgentDeployment', 'denied']),
  )
})

test('fork copies the spec with its overrides', real, async (t) => {
  const { ask, namespace, other } = await setUp(t)
  await ask('developer', 'POST', '/agents', { namespace, config: { ...config('origin'), labels: { team: 'a' } } })
  const made = await ask('developer', 'POST', `/agents/${namespace}/origin/fork`, {
    name: 'copy',
    overrides: { systemPrompt: 'Yo.' },
  })
  assert.equal(made.status, 201, made.text)
  const copy = made.json<AgentDeploymentObject>()
  assert.equal(copy.spec.systemPrompt, 'Yo.')
  assert.equal(copy.metadata.annotations?.['mesh.dev/forked-from'], `${namespace}/origin`)
  assert.equal(made.headers['location'], `/api/agents/${namespace}/copy`)
  const elsewhere = await ask('developer', 'POST', `/agents/${namespace}/origin/fork`, {
    name: 'copy',
    namespace: other,
  })
  assert.equal(elsewhere.status, 403)
  assert.equal((await ask('viewer', 'POST', `/agents/${namespace}/origin/fork`, { name: 'v' })).status, 403)
  assert.equal((await ask('developer', 'POST', `/agents/${namespace}/none/fork`, { name: 'v' })).status, 404)
})

test('UXM6: versions, diff and rollback read ControllerRevisions as the caller', real, async (t) => {
  const { ask, admin, namespace } = await setUp(t)
  await ask('developer', 'POST', '/agents', { namespace, config: config('v') })
  const agent = await readAgent(admin, namespace, 'v')
  await addRevision(admin, agent, 1, 'old')
  await addRevision(admin, agent, 2, 'mock')
  const path = `/agents/${namespace}/v`
  const versions = await ask('developer', 'GET', `${path}/versions`)
  assert.deepEqual(
    versions.json<{ items: { revision: number }[] }>().items.map((item) => item.revision),
    [2, 1],
    versions.text,
  )
  const diff = await ask('developer', 'GET', `${path}/versions/diff?from=1&to=2`)
  assert.deepEqual(diff.json(), {
    from: '1',
    to: '2',
    patch: [{ op: 'replace', path: '/model/route', value: 'mock' }],
    sections: [{ path: '/model', from: { route: 'old' }, to: { route: 'mock' } }],
  })
  assert.deepEqual((await ask('developer', 'GET', `${path}/versions/diff?from=2`)).json<{ patch: [] }>().patch, [])
  assert.equal((await ask('developer', 'GET', `${path}/versions/diff?from=9`)).status, 404)
  assert.equal((await ask('developer', 'GET', `${path}/versions/diff?from=x`)).status, 400)
  const back = await ask('developer', 'POST', `${path}/rollback`, { revision: 1 })
  assert.equal(back.status, 200, back.text)
  const stored = await readAgent(admin, namespace, 'v')
  assert.equal(stored.spec.model?.route, 'old')
  assert.deepEqual(stored.metadata.annotations, { 'mesh.dev/rollback-to': '1' })
  await admin.patch(
    AgentDeployment,
    { namespace, name: parseName('name', 'v') },
    { type: 'merge', body: { metadata: { annotations: { 'a/b': 'kept' } } } },
  )
  assert.equal((await ask('developer', 'POST', `${path}/rollback`, { revision: 2 })).status, 200)
  const again = await readAgent(admin, namespace, 'v')
  assert.equal(again.spec.model?.route, 'mock')
  assert.deepEqual(again.metadata.annotations, { 'a/b': 'kept', 'mesh.dev/rollback-to': '2' })
  assert.equal((await ask('developer', 'POST', `${path}/rollback`, { revision: 7 })).status, 404)
  for (const [method, where, body] of [
    ['GET', `${path}/versions`, undefined],
    ['POST', `${path}/rollback`, { revision: 1 }],
  ] as const) {
    assert.equal((await ask('viewer', method, where, body)).status, 403, where)
  }
})

test('an agent does not inherit versions of an earlier agent of its name', real, async (t) => {
  const { ask, admin, namespace } = await setUp(t)
  await ask('developer', 'POST', '/agents', { namespace, config: config('again') })
  const first = await readAgent(admin, namespace, 'again')
  await addRevision(admin, first, 1, 'old')
  await admin.delete(AgentDeployment, { namespace, name: parseName('name', 'again') })
  await ask('developer', 'POST', '/agents', { namespace, config: config('again') })
  const versions = await ask('developer', 'GET', `/agents/${namespace}/again/versions`)
  assert.deepEqual(versions.json(), { items: [], nextCursor: null })
})

test('R2-M3: agents and registries that name an agent are shown, and hold nothing back', real, async (t) => {
  const { ask, admin, namespace } = await setUp(t)
  const create = async (name: string, spec: object) => {
    const made = await ask('developer', 'POST', '/agents', { metadata: { name, namespace }, spec })
    assert.equal(made.status, 201, made.text)
  }
  const spec = { runtime: { command: ['x'] } }
  await create('lead', { ...spec, delegates: [{ name: 'helper' }, { name: 'gone' }] })
  await create('helper', { ...spec, delegates: [{ name: 'lead' }] })
  const registry = { roles: [{ name: 'boss', agents: [{ name: 'lead' }, { name: 'guest', namespace: 'elsewhere' }] }] }
  await admin.create(AgentRegistry, AgentRegistry.object({ metadata: { name: 'team', namespace }, spec: registry }))
  const itemsOf = async (path: string) => {
    const { items } = (await ask('developer', 'GET', path)).json<{
      items: { kind: string; name: string; field: string; found: boolean | null }[]
    }>()
    return items.map(({ kind, name, field, found }) => [kind, name, field, found])
  }
  assert.deepEqual(await itemsOf(`/agents/${namespace}/lead/references`), [
    ['AgentDeployment', 'helper', 'spec.delegates[0]', true],
    ['AgentDeployment', 'gone', 'spec.delegates[1]', false],
  ])
  const users = async (name: string) => itemsOf(`/usedby?namespace=${namespace}&name=${name}`)
  assert.deepEqual((await users('lead')).toSorted(), [
    ['AgentDeployment', 'helper', 'spec.delegates[0]', true],
    ['AgentRegistry', 'team', 'spec.roles[0].agents[0]', true],
  ])
  assert.deepEqual(await users('helper'), [['AgentDeployment', 'lead', 'spec.delegates[0]', true]])
  const lead = await readAgent(admin, namespace, 'lead')
  const found = schemaReferences.collect(AgentDeployment, lead)
  assert.deepEqual(found, [], 'readiness does not wait for a link')
})

test('references and usedby are read as the caller', real, async (t) => {
  const { ask, admin, namespace } = await setUp(t)
  const route = ModelRoute.object({
    metadata: { name: 'there', namespace },
    spec: { providerRef: { name: 'p' }, model: 'm' },
  })
  await admin.create(ModelRoute, route)
  const spec = {
    model: { route: 'there', fallbackRoutes: ['gone'] },
    runtime: { command: ['x'], env: [{ name: 'K', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
    knowledge: [{ name: 'docs' }],
  }
  const made = await ask('developer', 'POST', '/agents', { metadata: { name: 'r', namespace }, spec })
  assert.equal(made.status, 201, made.text)
  const seen = async (who: string) => {
    const answer = await ask(who, 'GET', `/agents/${namespace}/r/references`)
    return answer.json<{ items: { kind: string; name: string; field: string; found: boolean | null }[] }>().items
  }
  assert.deepEqual(
    (await seen('developer')).map(({ kind, name, field, found }) => [kind, name, field, found]),
    [
      ['Secret', 's', 'spec.runtime.env[0].valueFrom.secretKeyRef', false],
      ['ModelRoute', 'there', 'spec.model.route', true],
      ['ModelRoute', 'gone', 'spec.model.fallbackRoutes[0]', false],
      ['KnowledgeBase', 'docs', 'spec.knowledge[0]', false],
    ],
  )
  assert.equal((await seen('viewer')).find((item) => item.kind === 'Secret')?.found, null)
  const used = await ask('viewer', 'GET', `/usedby?kind=ModelRoute&namespace=${namespace}&name=there`)
  assert.deepEqual(used.json(), {
    items: [{ kind: 'AgentDeployment', namespace, name: 'r', field: 'spec.model.route', found: true }],
    nextCursor: null,
  })
  assert.equal(
    (await ask('other-tenant', 'GET', `/usedby?kind=ModelRoute&namespace=${namespace}&name=there`)).status,
    403,
  )
  assert.equal((await ask('viewer', 'GET', '/usedby?kind=Nothing&name=x')).json<Problem>().code, 'invalid_query')
  const none = await ask('viewer', 'GET', `/usedby?namespace=${namespace}&name=x`)
  assert.deepEqual(none.json(), { items: [], nextCursor: null })
  assert.equal((await ask('viewer', 'GET', '/usedby?name=x')).status, 403, 'in the namespace default')
})

test('expand returns documents, or the position of the error', real, async (t) => {
  const { ask } = await setUp(t)
  const expanded = await ask('unbound', 'POST', '/expand', {
    source: 'name: a\nmodel: {route: mock}\nprompt: {text: Hi}\n',
  })
  const kinds = expanded.json<{ documents: { kind: string }[] }>().documents.map((document) => document.kind)
  assert.deepEqual(kinds, ['AgentDeployment', 'PromptVersion'])
  assert.equal((await ask('unbound', 'POST', '/expand', { config: config('a') })).status, 200)
  const bad = await ask('unbound', 'POST', '/expand', { source: 'name: a\nmodel: {route: mock}\ncolour: red\n' })
  assert.equal(bad.status, 400)
  assert.deepEqual(bad.json<Problem>().errors, [
    { pointer: '/colour', detail: 'unknown field "colour" (line 3, column 1)' },
  ])
  for (const body of [{}, { source: 'x', config: {} }]) {
    assert.equal((await ask('unbound', 'POST', '/expand', body)).json<Problem>().code, 'invalid_body')
  }
})

test('check-requirements reports what is met, missing or denied, and the fix', real, async (t) => {
  const extra: RequirementCheck = async () => [{ kind: 'Extra', name: 'e', status: 'met', fix: '' }]
  const { ask, admin, namespace, other } = await setUp(t, undefined, [extra])
  const shared = (allowed: string[]) =>
    ModelRoute.object({
      metadata: { name: allowed.length === 0 ? 'closed' : 'open', namespace: other },
      spec: { providerRef: { name: 'p' }, model: 'm', allowedNamespaces: allowed },
    })
  await admin.create(ModelRoute, shared([]))
  await admin.create(ModelRoute, shared([namespace]))
  const check = async (who: string, routes: string[]) => {
    const [route, ...fallbackRoutes] = routes
    const body = { namespace, config: { name: 'a', model: { route, fallbackRoutes } } }
    const answer = await ask(who, 'POST', '/agents/check-requirements', body)
    assert.equal(answer.status, 200, answer.text)
    return answer.json<{
      ready: boolean
      requirements: { kind: string; name: string; status: string; fix: string }[]
    }>()
  }
  const found = await check('operator', [`${other}/open`, `${other}/closed`, 'gone'])
  assert.equal(found.ready, false)
  assert.deepEqual(
    found.requirements.map(({ kind, name, status }) => [kind, name, status]),
    [
      ['Permission', 'create agentdeployments', 'met'],
      ['ModelRoute', 'open', 'met'],
      ['ModelRoute', 'closed', 'denied'],
      ['ModelRoute', 'gone', 'missing'],
      ['Extra', 'e', 'met'],
    ],
  )
  assert.match(found.requirements[2]?.fix ?? '', new RegExp(`Add ${namespace} to spec.allowedNamespaces`))
  assert.equal((await check('operator', [`${other}/open`])).ready, true)
  const denied = await check('viewer', [`${other}/open`])
  assert.deepEqual(
    denied.requirements.map((item) => item.status),
    ['denied', 'denied', 'met'],
  )
})

interface GatewayCall {
  authorization: string | undefined
  body: { model: string; response_format: { type: string } }
}

/** A server that speaks as much of the gateway's wire format as generate uses. */
async function startGateway(
  t: TestContext,
  status: number,
  answer: unknown,
): Promise<{ url: string; calls: GatewayCall[] }> {
  const calls: GatewayCall[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as GatewayCall['body']
      calls.push({ authorization: request.headers.authorization, body })
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}

test('generate calls the gateway with the bearer of the caller', real, async (t) => {
  const content = JSON.stringify({ config: config('bot'), explanation: 'A bot.' })
  const gateway = await startGateway(t, 200, { choices: [{ message: { role: 'assistant', content } }] })
  const { ask, namespace } = await setUp(t, gateway.url)
  const made = await ask('developer', 'POST', '/agents/generate', { prompt: 'a bot', namespace })
  assert.equal(made.status, 200, made.text)
  assert.deepEqual(made.json(), { config: { ...config('bot'), namespace }, explanation: 'A bot.', warnings: [] })
  assert.equal(gateway.calls[0]?.authorization, 'Bearer test-token-developer')
  assert.equal(gateway.calls[0]?.body.model, `${namespace}/mock`)
  assert.equal(gateway.calls[0]?.body.response_format.type, 'json_schema')
  const refined = await ask('developer', 'POST', '/agents/refine', {
    config: { ...config('kept'), systemPrompt: 'Hello.' },
    instruction: 'x',
    route: 'shared/gpt',
  })
  const { config: changed, changes } = refined.json<{ config: object; changes: readonly object[] }>()
  assert.deepEqual(changed, config('kept'), refined.text)
  assert.deepEqual(changes, [{ op: 'replace', path: '/systemPrompt', value: 'Hi.' }])
  assert.equal(gateway.calls.at(-1)?.body.model, 'shared/gpt')
})

test('errors of the gateway are returned, errors of a provider are not quoted', real, async (t) => {
  const cases: [number, string][] = [
    [403, 'forbidden'],
    [404, 'not_found'],
    [429, 'too_many_requests'],
    [500, 'bad_gateway'],
  ]
  for (const [status, code] of cases) {
    const gateway = await startGateway(t, status, { error: { message: 'because 10.0.0.1' } })
    const { ask } = await setUp(t, gateway.url)
    const refused = await ask('developer', 'POST', '/agents/generate', { prompt: 'x' })
    assert.equal(refused.json<Problem>().code, code, refused.text)
    if (status === 500) assert.doesNotMatch(refused.text, /10\.0\.0\.1/)
  }
  const { ask } = await setUp(t)
  assert.equal(
    (await ask('developer', 'POST', '/agents/generate', { prompt: 'x' })).json<Problem>().code,
    'bad_gateway',
  )
})

const document = (name: string, more = '') => `name: ${name}\nmodel: {route: mock}\nsystemPrompt: Hi.\n${more}`

test('UXM3: a file creates its agents, in either format, in the namespace of the query', real, async (t) => {
  const { ask, admin, namespace } = await setUp(t)
  const one = await ask('developer', 'POST', `/agents?namespace=${namespace}`, document('one'))
  assert.equal(one.status, 201, one.text)
  assert.equal(one.headers['location'], `/api/agents/${namespace}/one`)
  const two = `apiVersion: mesh.dev/v1alpha1\nkind: AgentDeployment\nmetadata: {name: two, namespace: ${namespace}}\nspec:\n  model: {route: mock}\n`
  const made = await ask(
    'developer',
    'POST',
    `/agents?namespace=${namespace}`,
    `${two}---\n# empty\n---\n${document('three')}`,
  )
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(
    made.json<{ items: AgentDeploymentObject[] }>().items.map(({ metadata }) => metadata.name),
    ['two', 'three'],
  )
  assert.equal((await readAgent(admin, namespace, 'three')).spec.systemPrompt, 'Hi.')
  // A JSON body also uses the namespace of the query.
  const json = await ask('developer', 'POST', `/agents?namespace=${namespace}`, { config: config('four') })
  assert.equal(json.status, 201, json.text)
  const path = `/agents/${namespace}/one`
  const changed = await ask('developer', 'PUT', path, document('one', 'limits: {maxSteps: 3}\n'))
  assert.equal(changed.status, 200, changed.text)
  assert.equal((await readAgent(admin, namespace, 'one')).spec.limits?.maxSteps, 3)
  assert.match((await ask('developer', 'PUT', path, document('other'))).text, /differs from the path/)
  assert.equal((await ask('developer', 'PUT', path, `${document('one')}---\n${document('one2')}`)).status, 400)
  const expanded = await ask('viewer', 'POST', '/expand', `${document('a')}---\n${document('b')}`)
  assert.equal(expanded.json<{ documents: unknown[] }>().documents.length, 2, expanded.text)
})

test('UXM3: a file with an invalid agent creates none, and the error has line and column', real, async (t) => {
  const { ask, namespace, outcomes } = await setUp(t)
  const at = `/agents?namespace=${namespace}`
  const object = (spec: string) =>
    `apiVersion: mesh.dev/v1alpha1\nkind: AgentDeployment\nmetadata: {name: o}\nspec:\n  model: {route: mock}\n${spec}`
  const good = document('good')
  const cases: [string, number, string, RegExp][] = [
    [`${good}---\n${document('bad', 'colour: 1\n')}`, 400, '/colour', /unknown field.*line 8, column 1/],
    [`${good}---\n${object('  colour: 1\n')}`, 400, '/spec/colour', /line 10, column 3/],
    [`${good}---\n${object('  limits: {maxSteps: 0}\n')}`, 422, '/spec/limits/maxSteps', /line 10, column 12/],
    [`${good}---\n${good}`, 400, '', /twice.*line 5, column 1/],
    [document('a', 'namespace: elsewhere\n'), 400, '/namespace', /differs.*line 4, column 1/],
    [object('').replace('AgentDeployment', 'Pod'), 400, '/kind', /must be AgentDeployment.*line 2, column 1/],
    ['# nothing\n', 400, '', /no agent/],
    [
      document('a', 'systemPrompt: "\\ud800"\n').replace('systemPrompt: Hi.\n', ''),
      400,
      '/systemPrompt',
      /lone surrogate.*line 3/,
    ],
    [document('a\0'), 400, '/name', /U\+0000.*line 1/],
    [Array.from({ length: 21 }, (_, n) => document(`n${n}`)).join('---\n'), 400, '', /at most 20 documents/],
    [`name: a\nlabels: &x {a: b}\nannotations: *x\n`, 400, '', /anchors are not allowed.*line 2, column 12/],
    ['- '.repeat(70), 400, '', /nested deeper/],
  ]
  for (const [file, status, pointer, detail] of cases) {
    const refused = await ask('developer', 'POST', at, file)
    assert.equal(refused.status, status, refused.text)
    const [error] = refused.json<Problem>().errors ?? []
    assert.equal(error?.pointer, pointer, refused.text)
    assert.match(error?.detail ?? '', detail)
  }
  const none = await ask('developer', 'GET', `/agents?namespace=${namespace}`)
  assert.deepEqual(none.json<{ items: unknown[] }>().items, [])
  assert.equal((await ask('viewer', 'POST', at, good)).status, 403)
  assert.equal((await ask('nothing', 'POST', at, good)).status, 401)
  assert.deepEqual(
    outcomes.filter(({ outcome }) => outcome === 'denied').map(({ name }) => name),
    ['good'],
  )
  const hint = await ask('developer', 'POST', '/expand', { source: object('') })
  assert.match(hint.text, /this is a Kubernetes object already: POST it to \/api\/agents, or apply it with kubectl/)
})

test('UXM3: a 404 names object and namespace, and a denied list names the alternative', real, async (t) => {
  const { ask, namespace } = await setUp(t)
  const detail = async (path: string) => (await ask('developer', 'GET', path)).json<{ detail: string }>().detail
  assert.equal(await detail(`/agents/${namespace}/py`), `There is no agent py in ${namespace}.`)
  assert.match(await detail('/agents'), /at the cluster scope\. Name a namespace, or use scope=permitted\.$/)
  assert.doesNotMatch(await detail('/agents?namespace=elsewhere'), /Name a namespace/)
})

const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }

test('logs require pods/log, and an agent without a pod is a 404', real, async (t) => {
  const { ask, admin, namespace } = await setUp(t)
  await ask('developer', 'POST', '/agents', { namespace, config: config('l') })
  const none = await ask('developer', 'GET', `/agents/${namespace}/l/logs`)
  assert.equal(none.status, 404)
  assert.match(none.text, /has no pod/)
  assert.equal((await ask('viewer', 'GET', `/agents/${namespace}/l/logs`)).status, 403)
  assert.equal((await ask('developer', 'GET', `/agents/${namespace}/none/logs`)).status, 404)
  assert.equal(
    (await ask('developer', 'GET', `/agents/${namespace}/l/logs?since=soon`)).json<Problem>().code,
    'invalid_query',
  )
  await admin.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'l-1', namespace, labels: { 'mesh.dev/agent': 'l' } },
    spec: { containers: [{ name: 'agent', image: 'x' }] },
  })
  // There is no kubelet here: for a pod on no node the API server answers an empty log.
  const logs = await ask('developer', 'GET', `/agents/${namespace}/l/logs?tail=5`)
  assert.equal(logs.status, 200, logs.text)
  assert.equal(logs.headers['content-type'], 'text/plain; charset=utf-8')
})
