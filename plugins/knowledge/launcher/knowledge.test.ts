import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { answers, startMemoryServer } from '#launcher/testdata/memory-server.ts'
import { startProxied } from '#launcher/testdata/proxied-launcher.ts'
import { readResponse } from '#schemas/wire/read-response.ts'
import { stateResponse } from '#launcher/testdata/state-response.ts'
import type { MemoryCalls } from '#launcher/contract/state/memory-calls.ts'
import { knowledgeBasesOf, searchTool } from './search-tool.ts'

const metadata = {
  knowledgeBase: 'handbook',
  title: 'Refunds',
  contentType: 'text/plain',
  start: 0,
  end: 19,
  attributes: {},
}
const item = { document: 'refunds.md', chunk: 0, text: 'Within thirty days.', score: 1, metadata }
const found = { items: [item], mode: 'full-text', note: 'no_embedding_model' }

async function start(
  t: TestContext,
  plugins: Readonly<Record<string, unknown>> = { knowledge: { bases: ['handbook'] } },
) {
  const state = await startMemoryServer(t)
  const launcher = await startProxied(t, {
    money: false,
    config: { plugins },
    env: { MEMORY_PORT: '0', MEMORY_BACKEND_ADDR: state.url },
  })
  state.reply = answers(200, found)
  const search = async (body: unknown) => {
    const response = await fetch(`http://127.0.0.1:${launcher.open['memory']}/knowledge/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return { ...launcher, state, search }
}

test('H5: a search is one operation at the state role, with the token of the launcher and one span', async (t) => {
  const { state, search, spans } = await start(t)
  assert.deepEqual(await search({ query: 'refund', knowledgeBase: 'handbook', limit: 3 }), { status: 200, body: found })
  await search({ query: 'a\0b\ud800' })
  const [first, mended] = state.requests
  assert.deepEqual(
    [first?.method, first?.path, JSON.parse(first?.text ?? '')],
    ['POST', '/knowledge/search', { query: 'refund', knowledgeBase: 'handbook', limit: 3 }],
  )
  assert.deepEqual(JSON.parse(mended?.text ?? ''), { query: 'a\uFFFDb\uFFFD' })
  assert.equal(spans().filter(({ name }) => name === 'knowledge search').length, 2)
})

test('H5: every error of the route has its code; what is wrong never reaches the state role', async (t) => {
  const { state, search } = await start(t)
  const codeOf = async (body: unknown) => {
    const answer = await search(body)
    assert.deepEqual(Object.keys(answer.body), ['error', 'message'])
    return [answer.status, answer.body['error']]
  }
  for (const wrong of [
    {},
    { query: '' },
    { query: 1 },
    { query: 'x'.repeat(4_001) },
    { query: 'x', limit: 0 },
    { query: 'x', limit: 51 },
    { query: 'x', limit: 1.5 },
    { query: 'x', knowledgeBase: '' },
    { query: 'x', more: 1 },
    '{',
    '[]',
    'null',
  ])
    assert.deepEqual(await codeOf(wrong), [400, 'malformed_request'], JSON.stringify(wrong).slice(0, 60))
  assert.deepEqual(await codeOf({ query: 'x'.repeat(300_000) }), [413, 'payload_too_large'])
  assert.equal(state.requests.length, 0)
  state.reply = answers(404, { code: 'unknown_knowledge_base', detail: 'x' })
  assert.deepEqual(await codeOf({ query: 'x', knowledgeBase: 'other' }), [404, 'unknown_knowledge_base'])
  for (const status of [401, 403, 500, 503]) {
    state.reply = answers(status, { code: 'secret' })
    assert.deepEqual(await codeOf({ query: 'x' }), [502, 'memory_unavailable'], String(status))
  }
  state.reply = answers(200, { items: 'x' })
  assert.deepEqual(await codeOf({ query: 'x' }), [502, 'memory_unavailable'])
})

test('H5: without a knowledge base in the spec the route is not bound', async (t) => {
  const { search, state } = await start(t, { memory: { session: true } })
  const { status, body } = await search({ query: 'x' })
  assert.deepEqual([status, body['error'], state.requests.length], [404, 'not_bound', 0])
})

test('the tool search_knowledge searches in the run of the model, and checks its arguments', async () => {
  assert.deepEqual(knowledgeBasesOf({ bases: ['a', 1] }), ['a'])
  assert.deepEqual(knowledgeBasesOf(undefined), [])
  const sent: unknown[] = []
  const calls: Pick<MemoryCalls, 'callFor'> = {
    callFor: async ({ runId }, operation) => {
      assert.equal(runId, 'run-1')
      sent.push(operation.call.body)
      return readResponse(operation.path, stateResponse(200, found))
    },
  }
  const { always, definition, run } = searchTool(calls, ['handbook'])
  assert.deepEqual([definition.name, definition.parameters['required']], ['search_knowledge', ['query']])
  assert.equal(always, true, 'bound by spec.knowledge, not by an entry in tools')
  const span = { spanId: '', traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`, end: () => undefined }
  const scope = { runId: 'run-1', span: span as never, signal: new AbortController().signal, emit: () => undefined }
  assert.deepEqual(await run({ query: 'refund', knowledgeBase: 'handbook' }, scope), found)
  assert.deepEqual(sent[0], { query: 'refund', knowledgeBase: 'handbook' })
  await assert.rejects(run({}, scope), /query must be a string/)
  await assert.rejects(run({ query: 'x', knowledgeBase: 7 }, scope), /knowledgeBase must be a string/)
})
