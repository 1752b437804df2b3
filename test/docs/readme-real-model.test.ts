import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startEmbedded } from '../flows/platform/embedded.ts'
import { createPageShell } from './page-shell.ts'

interface Asked {
  readonly path: string
  readonly authorization: string | undefined
  readonly model: string
  readonly stream: boolean
}

const about = { id: 'chatcmpl-419', created: 1_764_288_000, model: 'llama3.2', system_fingerprint: 'fp_ollama' }
const usage = { prompt_tokens: 38, completion_tokens: 9, total_tokens: 47 }
const text = ['Good', ' day,', ' Ada.']

/** A server on this machine that plays what Ollama answers to `POST /v1/chat/completions`, whole and as a stream. */
async function startOllama(scope: Scope) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { model = '', stream = false } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Partial<Asked>
    asked.push({ path: request.url ?? '', authorization: request.headers.authorization, model, stream })
    if (stream) playStream(response)
    else {
      const choices = [{ index: 0, message: { role: 'assistant', content: text.join('') }, finish_reason: 'stop' }]
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...about, object: 'chat.completion', choices, usage }))
    }
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  scope.after(() => server.close())
  return { asked, port: (server.address() as AddressInfo).port }
}

function playStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (more: object) =>
    response.write(`data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', ...more })}\n\n`)
  for (const content of text)
    send({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })
  send({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'stop' }] })
  send({ choices: [], usage })
  response.end('data: [DONE]\n\n')
}

test(
  'R2-UX-6: the block "Use a real model" of the README connects a server on this machine to agents and to OpenAI clients',
  needs('kubectl'),
  async (t) => {
    const { asked, port } = await startOllama(t)
    // No setting: what a reader has after `npm start`.
    const shell = createPageShell(t, './README.md', await startEmbedded(t, {}))
    const [block = '', ...more] = shell.blocks('Use a real model')
    assert.deepEqual(
      [more, block.match(/127\.0\.0\.1:11434\/v1/g)?.length],
      [[], 1],
      'one block, with the port of Ollama',
    )
    // As written but for the port: another process may have that of Ollama.
    await shell.run(block.replace('11434', String(port)))
    await shell.run('kubectl wait --for=condition=Ready modelprovider/ollama modelroute/llama --timeout=60s')
    await shell.run(
      `api "$URL/api/agents" -d '{"namespace": "default", "config": {"name": "greeter", "model": { "route": "llama" }}}'`,
    )
    const run = JSON.parse(
      await shell.run(
        `api "$URL/api/invoke" -d '{"agent": {"namespace": "default", "name": "greeter"}, "input": "I am Ada."}'`,
      ),
    ) as Readonly<Record<string, unknown>>
    assert.deepEqual([run['state'], run['output']], ['succeeded', 'Good day, Ada.'], JSON.stringify(run))
    const completion = await shell.run(
      `api "$GATEWAY_URL/v1/chat/completions" -d '{"model": "llama", "messages": [{"role": "user", "content": "I am Ada."}]}'`,
    )
    assert.match(completion, /Good day, Ada\./)
    assert.deepEqual(
      asked.map(({ path, authorization, model }) => [path, authorization, model]),
      [1, 2].map(() => ['/v1/chat/completions', undefined, 'llama3.2']),
    )
  },
)
