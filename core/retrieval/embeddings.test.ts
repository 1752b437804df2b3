import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createEmbeddings, createRoleEmbeddings, spaceOf } from './embeddings.ts'
import { EmbeddingsUnavailable } from './embeddings-error.ts'
import { answerVectors, embeddingOf, startEmbeddingServer } from './testing/embedding-server.ts'

async function open(t: TestContext) {
  const server = await startEmbeddingServer(t)
  const embeddings = createEmbeddings({ gatewayUrl: () => server.url, bearer: async () => 'token-1' })
  const problemOf = async (texts: readonly string[] = ['a'], timeoutMs = 20_000): Promise<string> => {
    try {
      await embeddings.embed({ route: 'demo/embed', texts, timeoutMs })
      return 'none'
    } catch (error) {
      assert.ok(error instanceof EmbeddingsUnavailable)
      assert.ok(!error.message.includes('secret'))
      return `${error.reason}${error.retryable ? ', retryable' : ''}`
    }
  }
  return { server, embeddings, problemOf }
}

test('embeddings: texts are sent in batches with the bearer, and vectors return in the order of the texts', async (t) => {
  const { server, embeddings } = await open(t)
  const texts = Array.from({ length: 130 }, (_, n) => `${'dog '.repeat((n % 3) + 1)}${n}`)
  const { vectors, dimensions } = await embeddings.embed({ route: 'demo/embed', texts })
  assert.deepEqual(vectors, texts.map(embeddingOf))
  assert.equal(dimensions, 4)
  assert.deepEqual(
    server.received.map(({ input }) => input.length),
    [64, 64, 2],
  )
  assert.deepEqual(server.received.map(({ model, authorization }) => [model, authorization])[0], [
    'demo/embed',
    'Bearer token-1',
  ])
  const { vectors: none } = await embeddings.embed({ route: 'demo/embed', texts: [] })
  assert.deepEqual(none, [])
  await embeddings.embed({ route: 'demo/embed', texts: ['x'.repeat(150_000), 'y'.repeat(150_000)] })
  assert.deepEqual(
    server.received.slice(3).map(({ input }) => input.length),
    [1, 1],
  )
})

test('embeddings: an answer that is no list of as many finite vectors of one length is refused as a whole', async (t) => {
  const { server, problemOf } = await open(t)
  const answers: readonly (readonly (readonly unknown[])[])[] = [
    [[1, 2]],
    [[1], [2], [3]],
    [[1, 2], [1]],
    [
      [1, 'x'],
      [1, 2],
    ],
    [
      [1, null],
      [1, 2],
    ],
    [
      [1, 1e300],
      [1, 2],
    ],
    [[], []],
    [Array.from({ length: 5_000 }, () => 1), Array.from({ length: 5_000 }, () => 1)],
  ]
  for (const vectors of answers) {
    server.answer = (_request, response) => answerVectors(response, vectors)
    assert.equal(await problemOf(['a', 'b']), 'invalid_answer', JSON.stringify(vectors).slice(0, 50))
  }
  for (const body of [
    '',
    'null',
    '[]',
    '{"data":{}}',
    '{"data":[1,2]}',
    '{"data":[{"index":7,"embedding":[1]},{"index":8,"embedding":[1]}]}',
  ]) {
    server.answer = (_request, response) => void response.end(body)
    assert.equal(await problemOf(['a', 'b']), 'invalid_answer', body)
  }
})

test('embeddings: refusals, outages and silence have a reason, and no text of the other side', async (t) => {
  const { server, problemOf } = await open(t)
  const expected = {
    401: 'refused',
    402: 'refused',
    403: 'refused',
    404: 'unknown_route',
    400: 'refused',
    302: 'refused',
    429: 'throttled, retryable',
    500: 'failed, retryable',
    504: 'timeout, retryable',
  }
  for (const [status, problem] of Object.entries(expected)) {
    server.answer = (_request, response) =>
      void response.writeHead(Number(status), { location: 'http://x' }).end('{"error":"secret"}')
    assert.equal(await problemOf(), problem, status)
  }
  server.answer = (_request, response) => void response.destroy()
  assert.equal(await problemOf(), 'unreachable, retryable')
  server.answer = () => undefined
  assert.equal(await problemOf(['a'], 50), 'timeout, retryable')
  const nowhere = createEmbeddings({ gatewayUrl: () => 'no url', bearer: async () => 't' })
  await assert.rejects(nowhere.embed({ route: 'a/b', texts: ['a'] }), { reason: 'unreachable' })
  const anonymous = createEmbeddings({ gatewayUrl: () => server.url, bearer: undefined })
  await assert.rejects(anonymous.embed({ route: 'a/b', texts: ['a'] }), { reason: 'no_identity', retryable: false })
})

test('embeddings: an abort of the caller is its own reason, not an outage', async (t) => {
  const { server, embeddings } = await open(t)
  const stop = new AbortController()
  server.answer = () => stop.abort(new Error('stopped'))
  await assert.rejects(embeddings.embed({ route: 'a/b', texts: ['a'], signal: stop.signal }), { message: 'stopped' })
})

test('embeddings: a role names who pays for each batch, and callers name no payer', async (t) => {
  const { server, embeddings } = await open(t)
  const role = createRoleEmbeddings({ gatewayUrl: () => server.url, bearer: async () => 'token-2' })
  const ofAgent = role.paidBy({ kind: 'agent', namespace: 'demo', name: 'writer', uid: 'uid-1' }, 'run-1')
  await ofAgent.embed({ route: 'demo/embed', texts: Array.from({ length: 65 }, (_, n) => `text ${n}`) })
  await role.paidBy({ kind: 'namespace', namespace: 'demo', uid: 'uid-2' }).embed({ route: 'demo/embed', texts: ['a'] })
  await embeddings.embed({ route: 'demo/embed', texts: ['a'] })
  const received = server.received.map(({ authorization, payer, runId }) => [authorization, payer, runId])
  assert.deepEqual(received, [
    ['Bearer token-2', 'agent/demo/writer/uid-1', 'run-1'],
    ['Bearer token-2', 'agent/demo/writer/uid-1', 'run-1'],
    ['Bearer token-2', 'namespace/demo/uid-2', undefined],
    ['Bearer token-1', undefined, undefined],
  ])
})

test('embeddings: only the code of the gateway says that a payer cannot pay', async (t) => {
  const { server, problemOf } = await open(t)
  const cases: readonly (readonly [number, unknown, string])[] = [
    [402, { error: { code: 'budget_exceeded' } }, 'budget_exceeded, retryable'],
    [422, { error: { code: 'price_unknown' } }, 'price_unknown'],
    [429, { error: { code: 'rate_limited' } }, 'throttled, retryable'],
    [402, { error: { code: 'provider_refused', message: 'budget_exceeded' } }, 'refused'],
    [402, { error: 'budget_exceeded' }, 'refused'],
    [422, { error: { code: ['price_unknown'] } }, 'refused'],
    [402, null, 'refused'],
    [402, { __proto__: null, code: 'budget_exceeded' }, 'refused'],
  ]
  for (const [status, body, problem] of cases) {
    server.answer = (_request, response) => void response.writeHead(status).end(JSON.stringify(body))
    assert.equal(await problemOf(), problem, JSON.stringify([status, body]))
  }
})

test('embeddings: a space is a route with its model', () => {
  assert.equal(spaceOf('demo/embed', 'text-embedding-3-small'), 'demo/embed@text-embedding-3-small')
})
