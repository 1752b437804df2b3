import assert from 'node:assert/strict'
import test from 'node:test'
import { createEmbeddings } from '#core/retrieval/embeddings.ts'
import { embeddingOf, startEmbeddingServer } from '#core/retrieval/testing/embedding-server.ts'
import { createEmbedText } from './embed-text.ts'

// Where the database compares vectors; that of the other tests may not.
test('a text is embedded with a route that its agent may use, and with no other', async (t) => {
  const gateway = await startEmbeddingServer(t)
  const missing: string[] = []
  const routes = {
    'own/embed': { spec: { model: 'm1' } },
    'shared/embed': { spec: { model: 'm2', allowedNamespaces: ['own'] } },
    'closed/embed': { spec: { model: 'm3' } },
  }
  const get = async (_: unknown, { namespace = '', name }: { namespace?: string; name: string }) =>
    routes[`${namespace}/${name}` as keyof typeof routes]
  const embed = createEmbedText({
    cluster: { get } as never,
    embeddings: createEmbeddings({ gatewayUrl: () => gateway.url, bearer: async () => 'state' }),
    isSupported: async () => true,
    onMissing: (reason) => void missing.push(reason),
  })
  const of = (route: string | undefined) => embed({ namespace: 'own', route }, 'the price')
  const values = embeddingOf('the price')
  assert.deepEqual(await of('embed'), { space: 'own/embed@m1', values })
  assert.deepEqual(await of('shared/embed'), { space: 'shared/embed@m2', values })
  assert.equal(await of('closed/embed'), undefined)
  assert.equal(await of('own/Not_A_Name'), undefined)
  assert.equal(await of(undefined), undefined)
  assert.deepEqual(missing, ['unknown_route', 'unknown_route'])
  assert.deepEqual(
    gateway.received.map(({ model }) => model),
    ['own/embed', 'shared/embed'],
  )
  gateway.answer = (_request, response) => void response.writeHead(503).end('{}')
  assert.equal(await of('embed'), undefined)
  assert.equal(missing.length, 3)
})
