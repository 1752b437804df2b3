import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentTemplateObject } from '#schemas/crds/agent-template.ts'
import { expandAgentConfig } from '#schemas/agent-file/expand-agent-file.ts'
import { needs } from '#test/harness/find-server.ts'
import { servePlugin } from '../agents/testing/serve.ts'
import { templateEndpoints } from './endpoints.ts'
import { recipes } from './recipes.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')
const setUp = (t: TestContext) => servePlugin(t, 'templates', () => templateEndpoints())

const template = (namespace: string, name: string, spec: object = {}) => ({
  metadata: { name, namespace },
  spec: { title: 'T', template: { spec: { model: { route: 'mock' } } }, ...spec },
})

interface Listed {
  items: AgentTemplateObject[]
  nextCursor: string | null
  scope?: string
}

test('each recipe has a unique name and expands, and there are at least six', () => {
  assert.ok(recipes.length >= 6)
  assert.equal(new Set(recipes.map((recipe) => recipe.id)).size, recipes.length)
  assert.equal(new Set(recipes.map((recipe) => recipe.config['name'])).size, recipes.length)
  for (const { id, config } of recipes) assert.equal(expandAgentConfig(config).documents.length, 1, id)
})

test('the cluster accepts every recipe, and each uses mock routes', real, async (t) => {
  const { ask, admin, namespace } = await setUp(t)
  const answer = await ask('unbound', 'GET', '/recipes')
  assert.equal(answer.json<{ items: unknown[] }>().items.length, recipes.length, answer.text)
  for (const { id, config } of recipes) {
    const [agent] = expandAgentConfig(config).documents
    assert.ok(agent)
    const made = await admin.create(
      AgentDeployment,
      { ...agent, metadata: { ...agent.metadata, namespace } },
      { dryRun: true },
    )
    assert.equal(made.metadata.name, config['name'], id)
    const model = config['model'] as { route: string } | undefined
    assert.ok(model === undefined || ['mock', 'mock-scripted'].includes(model.route), id)
  }
})

test('templates are created, listed, filtered and deleted as the caller', real, async (t) => {
  const { ask, namespace } = await setUp(t)
  const made = await ask('developer', 'POST', '/templates', template(namespace, 'one'))
  assert.equal(made.status, 201, made.text)
  assert.equal(made.headers['location'], `/api/templates/agent/${namespace}/one`)
  const team = template(namespace, 'crew', { for: 'team', template: { spec: { anything: 1 } } })
  assert.equal((await ask('developer', 'POST', '/templates', team)).status, 201)
  const list = async (query: string) =>
    (await ask('viewer', 'GET', `/templates?namespace=${namespace}${query}`)).json<Listed>()
  assert.deepEqual(
    (await list('')).items.map((item) => item.metadata.name),
    ['crew', 'one'],
  )
  assert.deepEqual(
    (await list('&kind=team')).items.map((item) => item.metadata.name),
    ['crew'],
  )
  // `crew` is first in the order of the cluster: a page continues past templates of other kinds.
  const agents = await list('&kind=agent&limit=1')
  assert.deepEqual([agents.items.map((item) => item.metadata.name), agents.nextCursor], [['one'], null])
  // CON8: `one` follows, but it is of another kind.
  assert.equal((await list('&kind=team&limit=1')).nextCursor, null)
  const first = await list('&limit=1')
  assert.equal(first.items.length, 1)
  const second = await list(`&limit=1&cursor=${encodeURIComponent(first.nextCursor ?? '')}`)
  assert.deepEqual([second.items[0]?.metadata.name, second.nextCursor], ['one', null])
  assert.equal((await ask('developer', 'DELETE', `/templates/team/${namespace}/one`)).status, 404)
  assert.equal((await ask('viewer', 'DELETE', `/templates/agent/${namespace}/one`)).status, 403)
  assert.equal((await ask('developer', 'DELETE', `/templates/agent/${namespace}/one?dryRun=All`)).status, 204)
  assert.equal((await ask('developer', 'DELETE', `/templates/agent/${namespace}/one`)).status, 204)
  assert.equal((await ask('developer', 'DELETE', `/templates/agent/${namespace}/one`)).status, 404)
  assert.equal((await ask('developer', 'DELETE', `/templates/pod/${namespace}/one`)).status, 400)
})

test('scope=permitted lists templates of permitted namespaces only', real, async (t) => {
  const { ask, namespace, other } = await setUp(t)
  await ask('developer', 'POST', '/templates', template(namespace, 'here'))
  await ask('other-tenant', 'POST', '/templates', template(other, 'there'))
  const names = async (who: string) => {
    const { items, scope } = (await ask(who, 'GET', '/templates?scope=permitted')).json<Listed>()
    assert.equal(scope, 'permitted')
    return items.map((item) => item.metadata.name)
  }
  assert.deepEqual(await names('viewer'), ['here'])
  assert.deepEqual(await names('other-tenant'), ['there'])
  assert.deepEqual(await names('operator'), ['here', 'there'])
  assert.deepEqual(await names('unbound'), [])
  assert.equal((await ask('viewer', 'GET', '/templates')).status, 403)
})

test('the content of an agent template must be a valid agent', real, async (t) => {
  const { ask, namespace } = await setUp(t)
  const bad = template(namespace, 'bad', { template: { spec: { model: { route: 'mock' }, colour: 1 } } })
  const refused = await ask('developer', 'POST', '/templates', bad)
  assert.equal(refused.status, 400)
  assert.equal(
    refused.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer,
    '/spec/template/spec/colour',
    refused.text,
  )
  const untitled = await ask('developer', 'POST', '/templates', template(namespace, 'bad', { title: '' }))
  assert.equal(untitled.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer, '/spec/title', untitled.text)
  const named = await ask('developer', 'POST', '/templates', template('a/b', 'bad'))
  assert.equal(named.json<{ code: string }>().code, 'invalid_name')
})

test('publish copies only the spec and own labels of an agent', real, async (t) => {
  const { ask, admin, namespace, other } = await setUp(t)
  await admin.create(AgentDeployment, {
    apiVersion: AgentDeployment.apiVersion,
    kind: AgentDeployment.kind,
    metadata: {
      name: 'source',
      namespace,
      labels: { team: 'a', 'mesh.dev/agent': 'source' },
      annotations: { note: 'sk-canary' },
    },
    spec: { model: { route: 'mock' }, systemPrompt: 'Hi.' },
  })
  const path = `/agents/${namespace}/source/publish`
  const made = await ask('developer', 'POST', path, { title: 'Greeter', tags: ['demo'] })
  assert.equal(made.status, 201, made.text)
  const { metadata, spec } = made.json<AgentTemplateObject>()
  assert.equal(metadata.name, 'source')
  assert.deepEqual(metadata.annotations, { 'mesh.dev/published-from': `AgentDeployment/${namespace}/source` })
  assert.deepEqual(spec, {
    for: 'agent',
    title: 'Greeter',
    tags: ['demo'],
    template: {
      metadata: { labels: { team: 'a' } },
      spec: { executionModel: 'service', model: { route: 'mock' }, systemPrompt: 'Hi.' },
    },
  })
  assert.doesNotMatch(made.text, /sk-canary/)
  assert.equal((await ask('developer', 'POST', path, { title: 'x', namespace: other })).status, 403)
  assert.equal((await ask('viewer', 'POST', path, { title: 'x', name: 'v' })).status, 403)
  assert.equal((await ask('developer', 'POST', `/agents/${namespace}/none/publish`, { title: 'x' })).status, 404)
  assert.equal((await ask('developer', 'POST', path, { title: 'x' })).json<{ code: string }>().code, 'already_exists')
})
