import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { startCollector } from '#core/telemetry/testing/collector.ts'
import type { MoneyFault } from '../testdata/money-server.ts'
import { completes, startProxied } from '../testdata/proxied-launcher.ts'

const runId = uuidV7()
const messages = [{ role: 'user', content: 'Write to ann@example.com.' }]
const tracesOf = (fields: object) => ({ store: true, capture: 'full', redact: ['email'], sampleRate: 1, ...fields })

/** A launcher with a trace policy. `stored` resolves with the spans that the state role got, when there are `count`. */
async function start(t: TestContext, fields: object = {}) {
  const backend = await startCollector(t)
  const bodies: string[] = []
  const { url, money, lines, close, open } = await startProxied(t, {
    reply: completes('Done, ann@example.com.'),
    config: { plugins: { budgets: { money: true }, traces: tracesOf(fields) } },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: backend.endpoint, DISCOVERY_PORT: '0' },
  })
  const keep: MoneyFault = ({ path, body }, response) => {
    if (path === '/runs') {
      response
        .writeHead(201, { 'content-type': 'application/json' })
        .end(JSON.stringify({ id: runId, state: 'queued' }))
      return true
    }
    if (path !== '/spans') return false
    bodies.push(JSON.stringify(body))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"accepted":1,"rejected":0}')
    return true
  }
  money.faults.push(keep)
  const ask = async (path: string, body: object) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.text()
  }
  return { ask, open, lines, backend, end: async () => (await close(), bodies.join('\n')) }
}

const output =
  '"gen_ai.output.messages","value":{"stringValue":"[{\\"role\\":\\"assistant\\",\\"parts\\":[{\\"type\\":\\"text\\",\\"content\\":\\"Done, [redacted]'
const input = '[{\\"role\\":\\"user\\",\\"parts\\":[{\\"type\\":\\"text\\",\\"content\\":\\"Write to [redacted]'

test('UX-8: with capture full, calls of each API carry their messages, redacted, to the store only', async (t) => {
  const { ask, lines, backend, end } = await start(t)
  for (const stream of [false, true]) {
    await ask('/v1/chat/completions', { model: 'mock', messages, stream })
    await ask('/v1/messages', { model: 'mock', max_tokens: 5, messages, stream })
    await ask('/v1/responses', { model: 'mock', input: 'Write to ann@example.com.', stream })
  }
  const stored = await end()
  const count = (text: string, part: string): number => text.split(part).length - 1
  assert.deepEqual([count(stored, input), count(stored, output)], [6, 6], stored)
  const elsewhere = JSON.stringify(lines) + backend.bodies.join('')
  assert.ok(backend.bodies.join('').includes('gen_ai.request.model'))
  assert.doesNotMatch(elsewhere, /Write to|Done,|gen_ai\.(?:input|output)/)
  assert.doesNotMatch(stored, /ann@/)
})

test('UX-8: a setting exports content; without capture full nothing is read', async (t) => {
  const exporting = await start(t, { exportContent: true })
  await exporting.ask('/v1/chat/completions', { model: 'mock', messages })
  await exporting.end()
  assert.ok(exporting.backend.bodies.join('').includes(input))
  const metadata = await start(t, { capture: 'metadata' })
  await metadata.ask('/v1/chat/completions', { model: 'mock', messages })
  assert.doesNotMatch((await metadata.end()) + metadata.backend.bodies.join(''), /Write to|gen_ai\.input/)
})

test('UX-8: calls of tools and of other agents carry their arguments, and what came of them', async (t) => {
  const { open, end } = await start(t)
  const post = (port: number | undefined, path: string, body: object) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post(open['discovery'], '/tools/x/call', { arguments: { to: 'ann@example.com', password: 'swordfish' } })
  await post(open['delegate'], '/delegate', { agent: 'back', input: 'Ask ann@example.com.', wait: false })
  const stored = (await end()).replaceAll('\\"', '"')
  assert.ok(stored.includes('{"stringValue":"{"to":"[redacted]","password":"[redacted]"}"}'), stored)
  assert.ok(stored.includes('{"agent":"back","input":"Ask [redacted]."}'), stored)
  assert.ok(stored.includes('{"state":"queued","output":null'), stored)
  assert.doesNotMatch(stored, /swordfish|ann@/)
})
