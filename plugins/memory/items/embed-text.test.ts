import assert from 'node:assert/strict'
import test from 'node:test'
import { createRoleEmbeddings } from '#core/retrieval/embeddings.ts'
import { embeddingOf, startEmbeddingServer } from '#core/retrieval/testing/embedding-server.ts'
import { createEmbedText } from './embed-text.ts'

// Where the database compares vectors; that of the other tests may not.
test('a text is embedded with a route that its agent may use, and with no other', async (t) => {
  const gateway = await startEmbeddingServer(t)
  const missing: string[] = []
  const providerRef = { name: 'p' }
  const target = (model: string) => ({ providerRef, model })
  const routes = {
    'own/embed': { spec: { providerRef, model: 'm1' } },
    'shared/embed': { spec: { targets: [target('m2'), target('m2')], allowedNamespaces: ['own'] } },
    'closed/embed': { spec: { providerRef, model: 'm3' } },
    'own/mixed': { spec: { targets: [target('m1'), target('m2')] } },
  }
  const get = async (_: unknown, { namespace = '', name }: { namespace?: string; name: string }) =>
    routes[`${namespace}/${name}` as keyof typeof routes]
  const embed = createEmbedText({
    cluster: { get } as never,
    embeddings: createRoleEmbeddings({ gatewayUrl: () => gateway.url, bearer: async () => 'state' }),
    isSupported: async () => true,
    onMissing: (reason) => void missing.push(reason),
  })
  const payer = { kind: 'agent', namespace: 'own', name: 'writer', uid: 'uid-1' } as const
  const of = (route: string | undefined) => embed({ payer, route, runId: 'run-1' }, 'the price')
  const values = embeddingOf('the price')
  assert.deepEqual(await of('embed'), { vector: { space: 'own/embed@m1', values } })
  assert.deepEqual(await of('shared/embed'), { vector: { space: 'shared/embed@m2', values } })
  assert.deepEqual(await of('closed/embed'), { note: 'embeddings_unknown_route' })
  assert.deepEqual(await of('own/Not_A_Name'), { note: 'embeddings_unknown_route' })
  assert.deepEqual(await of(undefined), {})
  assert.deepEqual(missing, ['unknown_route', 'unknown_route'])
  assert.deepEqual(await of('mixed'), { note: 'embeddings_several_models' })
  missing.pop()
  assert.deepEqual(
    gateway.received.map(({ model, payer: paidBy, runId }) => [model, paidBy, runId]),
    ['own/embed', 'shared/embed'].map((route) => [route, 'agent/own/writer/uid-1', 'run-1']),
  )
  gateway.answer = (_request, response) => void response.writeHead(503).end('{}')
  assert.deepEqual(await of('embed'), { note: 'embeddings_failed' })
  gateway.answer = (_request, response) =>
    void response.writeHead(402).end(JSON.stringify({ error: { code: 'budget_exceeded' } }))
  assert.deepEqual(await of('embed'), { note: 'embeddings_budget_exceeded' })
  assert.deepEqual(missing.slice(2), ['failed', 'budget_exceeded'])
})
