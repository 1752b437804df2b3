import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import type { Scope } from '#test/harness/scope.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

interface Received {
  readonly path: string
  readonly key: string
  readonly model: string
}

// The bodies are the examples of the public references: platform.openai.com/docs/api-reference/chat and docs.anthropic.com/en/api/messages.
const responses: Readonly<Record<string, object>> = {
  '/v1/models': {
    object: 'list',
    data: [{ id: 'gpt-5', object: 'model', created: 1_754_425_777, owned_by: 'system' }],
  },
  '/v1/chat/completions': {
    id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
    object: 'chat.completion',
    created: 1_741_569_952,
    model: 'gpt-5',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello! How can I assist you today?' },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
  },
  '/v1/messages': {
    id: 'msg_013Zva2CMHLNnXjNJJKqJ2EF',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: 'Hi! My name is Claude.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 2095, output_tokens: 503 },
  },
}

/** A model server that speaks both APIs. While `failing`, calls of OpenAI's are a 500. */
async function startModels(scope: Scope) {
  const received: Received[] = []
  const state = { failing: false }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const path = request.url ?? ''
    const { model = '' } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { model?: string }
    const key = request.headers['x-api-key'] ?? request.headers.authorization?.replace('Bearer ', '') ?? ''
    received.push({ path, key: String(key), model })
    const fails = state.failing && path === '/v1/chat/completions'
    const body = fails ? undefined : responses[path]
    response.writeHead(body === undefined ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { error: { message: 'Away.', type: 'server_error' } }))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  scope.after(() => server.close())
  return { received, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

test(
  'R2-UX-6: the commands of docs/how-to/connect-a-model.md call a server of each API with its key, and fall back',
  needs('kubectl'),
  async (t) => {
    const { received, state, url } = await startModels(t)
    const shell = createPageShell(t, 'connect-a-model.md', await sharedEmbedded())
    await shell.run(`MODEL_URL=${url} MODEL_KEY=key-of-openai CLAUDE_URL=${url} CLAUDE_KEY=key-of-anthropic`)
    await shell.section('OpenAI, or any server with its API')
    const [connected = ''] = await shell.section('With one request')
    for (const pattern of [/"keyVersion":1/, /"id":"gpt-5"/, /"keyVersion":2/, /"items":\[.*"name":"pasted"/])
      assert.match(connected, pattern)
    assert.doesNotMatch(connected, /key-of-openai/)
    await shell.section('Anthropic')
    const [run = '', called = ''] = await shell.section('Use it')
    assert.match(run, /"output":"Hello! How can I assist you today\?"/)
    assert.match(called, /Hi! My name is Claude\./)
    assert.deepEqual(
      received.filter(({ model }) => model !== ''),
      [
        { path: '/v1/chat/completions', key: 'key-of-openai', model: 'gpt-5' },
        { path: '/v1/messages', key: 'key-of-anthropic', model: 'claude-sonnet-4-5' },
      ],
    )
    state.failing = true
    const [fallen = ''] = await shell.section('Price and fallback')
    assert.match(fallen, /Hi! My name is Claude\./)
  },
)
