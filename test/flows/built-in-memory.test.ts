import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isObject } from '#core/json/is-object.ts'
import type { Persona } from '#local/data-folder/personas.ts'
import { addRoute, startUpstream } from '#plugins/providers/testing/gateway.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

interface Message {
  readonly role: string
  readonly content: string | null
}

interface Memory {
  readonly session: {
    readonly conversations: readonly { readonly id: string; readonly owner: string }[]
    readonly usage: { readonly conversations: number }
    readonly entries?: readonly { readonly messages: readonly Message[] }[]
  }
}

// A model that searches first if it can, then cites what it found; else it says what it was sent.
function answer(response: ServerResponse, body: Readonly<Record<string, unknown>>): void {
  const messages = body['messages'] as readonly Message[]
  const last = messages.at(-1)
  const frames = [...(last?.role === 'tool' ? says(cite(last)) : offersSearch(body) ? search : says(heard(messages)))]
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const choice of frames)
    response.write(`data: ${JSON.stringify({ model: 'test-1', choices: [{ index: 0, ...choice }] })}\n\n`)
  response.end('data: [DONE]\n\n')
}

const says = (content: string) => [{ delta: { content } }, { delta: {}, finish_reason: 'stop' }]
const call = {
  index: 0,
  id: 'call_1',
  type: 'function',
  function: { name: 'search_knowledge', arguments: '{"query":"When is a refund paid?"}' },
}
const search = [{ delta: { tool_calls: [call] } }, { delta: {}, finish_reason: 'tool_calls' }]

function offersSearch({ tools }: Readonly<Record<string, unknown>>): boolean {
  return JSON.stringify(tools ?? []).includes('search_knowledge')
}

function cite({ content }: Message): string {
  const { items } = JSON.parse(content ?? '') as { items: readonly { text: string; document: string }[] }
  return `${items[0]?.text.trim()} [${items[0]?.document}]`
}

function heard(messages: readonly Message[]): string {
  return messages
    .filter(({ role }) => role !== 'system')
    .map(({ content }) => content)
    .join(' | ')
}

test('declarative agents with memory and knowledge, from the API to the model', async (t) => {
  const platform = await sharedEmbedded()
  const upstream = await startUpstream(t, (response, body) => answer(response, body as never))
  const provider = { type: 'openai', baseUrl: upstream.url } as const
  await addRoute(platform.admin, 'default', 'recalling', { provider, route: { model: 'test-1' } })
  const ask = (method: string, path: string, body?: unknown, as: Persona = 'developer') =>
    platform.send({ method, path: `/api${path}`, bearer: platform.tokens[as], ...(body ? { body } : {}) })
  const make = async (name: string, more: object) => {
    const config = { name, systemPrompt: 'Be brief.', model: { route: 'recalling' }, ...more }
    const made = await ask('POST', '/agents', { namespace: 'default', config })
    assert.equal(made.status, 201, made.text)
  }
  const invoke = async (name: string, input: string, more: { as?: Persona; conversationId?: string } = {}) => {
    const { as, ...request } = more
    const body = { agent: { namespace: 'default', name }, input, timeout: '60s', ...request }
    const done = (await ask('POST', '/invoke', body, as)).json<{ runId: string; state: string; output: string }>()
    assert.equal(done.state, 'succeeded', JSON.stringify(done))
    return done
  }

  await t.test('F7: a conversation is continued by its user, and another user of one id has another', async () => {
    await make('recalls', { memory: { session: { maxEntries: 2 } } })
    const said = async (input: string, as: Persona) =>
      (await invoke('recalls', input, { as, conversationId: 'shared-id' })).output
    assert.equal(await said('one', 'developer'), 'one')
    assert.equal(await said('two', 'developer'), 'one | one | two')
    assert.equal(await said('spy', 'admin'), 'spy', 'nothing of the other user')
    await said('three', 'developer')
    // maxEntries: the first turn is dropped as a whole.
    assert.match(await said('four', 'developer'), /^two \| one \| one \| two \| three \| /)
    const shownTo = async (as: Persona) =>
      (await ask('GET', '/agents/default/recalls/memory?conversationId=shared-id', undefined, as)).json<Memory>()
        .session
    const [own, others, viewer] = [await shownTo('developer'), await shownTo('admin'), await shownTo('viewer')]
    assert.deepEqual(
      own.entries?.map(({ messages }) => messages[0]?.content),
      ['three', 'four'],
    )
    assert.deepEqual(
      others.entries?.map(({ messages }) => messages[0]?.content),
      ['spy'],
    )
    assert.deepEqual([viewer.entries, viewer.conversations, viewer.usage.conversations], [[], [], 2])
    assert.deepEqual(
      own.conversations.map(({ id, owner }) => [id, owner]),
      [['shared-id', 'caller']],
    )
  })

  await t.test('an agent searches its knowledge base with search_knowledge, and cites what it found', async () => {
    const made = await platform.kube({
      method: 'POST',
      path: '/apis/mesh.dev/v1alpha1/namespaces/default/knowledgebases',
      bearer: platform.tokens.developer,
      body: { apiVersion: 'mesh.dev/v1alpha1', kind: 'KnowledgeBase', metadata: { name: 'cited' }, spec: {} },
    })
    assert.equal(made.status, 201, made.text)
    const documents = [{ id: 'refunds.md', text: 'A refund is paid within thirty days.', contentType: 'text/markdown' }]
    const added = await ask('POST', '/knowledgebases/cited/documents', { documents })
    const [{ id } = { id: '' }] = added.json<{ items: { id: string }[] }>().items
    const stateOf = async () =>
      (await ask('GET', `/knowledgebases/cited/ingests/${id}`)).json<{ state: string }>().state
    while (['queued', 'running'].includes(await stateOf())) await pause(50)
    assert.equal(await stateOf(), 'succeeded')
    await make('cites', { knowledge: ['cited'] })
    const { runId, output } = await invoke('cites', 'When is my money back?')
    assert.equal(output, 'A refund is paid within thirty days. [refunds.md]')
    const tree = await ask('GET', `/runs/${runId}/tree`)
    const called = nodesOf(tree.json<{ root: unknown }>().root).filter(({ kind }) => kind === 'tool')
    assert.deepEqual(
      called.map(({ name, status }) => [name, status]),
      [['search_knowledge', 'ok']],
    )
    assert.match(JSON.stringify(called), /refunds\.md/, 'the tree has what was found')
  })
})

function nodesOf(node: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!isObject(node)) return []
  return [node, ...(Array.isArray(node.children) ? node.children : []).flatMap(nodesOf)]
}
