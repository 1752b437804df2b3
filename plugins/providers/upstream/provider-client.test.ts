import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createOutbound } from '#core/http-client/outbound.ts'
import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import { createProviderClient } from './provider-client.ts'

const script = `
  const server = require('node:http').createServer((request, response) => {
    if (request.url === '/v1/silent') return
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: first\\n\\n')
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

/** A provider in its own process, which a test can freeze. */
async function startProvider(t: TestContext) {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  const provider: ModelProviderSpec = { type: 'openai', baseUrl: `http://127.0.0.1:${String(port).trim()}/v1` }
  return { provider, freeze: () => child.kill('SIGSTOP') }
}

function createClient(t: TestContext, idleMs: number) {
  const client = createProviderClient({ connections: 4, idleMs, outbound: createOutbound({ allow: ['127.0.0.0/8'] }) })
  t.after(client.close)
  return client
}

const call = {
  operation: 'chat/completions',
  body: { stream: true },
  key: undefined,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  signal: new AbortController().signal,
} as const
const request = { headers: {}, body: {} }
const nowhere = { head: () => undefined, data: () => undefined }

test(
  'B3: a provider that is frozen in mid-stream ends the call after the idle time',
  { timeout: 480_000 },
  async (t) => {
    const { provider, freeze } = await startProvider(t)
    const client = createClient(t, 300)
    const seen: string[] = []
    const sink = {
      head: (status: number) => void seen.push(String(status)),
      data: (chunk: Buffer) => {
        seen.push(chunk.toString())
        freeze()
      },
    }
    const work = client.post({ ...call, provider, firstByteMs: 60_000 }, { ...request, path: 'chat/completions' }, sink)
    await assert.rejects(work, { code: 'UND_ERR_BODY_TIMEOUT' })
    assert.deepEqual(seen, ['200', 'data: first\n\n'])
  },
)

test('a provider that is frozen or silent before its answer ends the call after the time for the first byte', async (t) => {
  const { provider, freeze } = await startProvider(t)
  const client = createClient(t, 60_000)
  const silent = client.post({ ...call, provider, firstByteMs: 200 }, { ...request, path: 'silent' }, nowhere)
  await assert.rejects(silent, { code: 'PROVIDER_TIMEOUT' })
  freeze()
  const frozen = client.post({ ...call, provider, firstByteMs: 200 }, { ...request, path: 'chat/completions' }, nowhere)
  await assert.rejects(frozen, { code: 'PROVIDER_TIMEOUT' })
})
