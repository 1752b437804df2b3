// Gateway and state role of the bench: fixed answers, in a process whose CPU is not measured. Prints its port.
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { policies as policiesPath } from '#plugins/guardrails/contract/wire.ts'
import type { EndedResponse, OpenedHold } from '#plugins/budgets/contract/wire.ts'
import type { Static } from '#schemas/wire/schema.ts'

const usage = { prompt_tokens: 9, completion_tokens: 32 }
const head = { id: 'c1', created: 1, model: 'bench-1' }
const message = { role: 'assistant', content: 'word '.repeat(32) }
const choices = [{ index: 0, message, finish_reason: 'stop' }]
const whole = Buffer.from(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }))
const frame = (delta: object): string =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
const frames = Array.from({ length: 32 }, () => frame({ content: 'word ' }))
const last = `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\ndata: [DONE]\n\n`
const hold: OpenedHold = {
  id: '00000000-0000-4000-8000-000000000000',
  amount: '0.001',
  currency: 'USD',
  maxOutputTokens: 64,
  expiresAt: '2100-01-01T00:00:00.000Z',
  renewEverySeconds: 20,
  remaining: '5',
}
const settled: EndedResponse = { cost: { amount: '0.000125', currency: 'USD' }, remaining: '5', state: 'settled' }
const rules = [{ name: 'words', action: 'mask' as const, regex: { patterns: ['MAGENTA-[0-9]'] } }]
const policies: Static<typeof policiesPath.response> = {
  digest: 'd',
  policies: [{ namespace: 'default', name: 'p', uid: 'u', generation: 1, rules }],
}
const paceMs = 2

const server = createServer((request, response) => {
  const { url = '' } = request
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')))
  request.on('end', () => {
    if (url.endsWith('/holds')) json(response, 201, Buffer.from(JSON.stringify(hold)))
    else if (url === '/budgets/settlements') settleAll(response, body)
    else if (url === '/budgets/openings') openAll(response, body)
    else if (url.startsWith('/budgets')) json(response, 200, Buffer.from(JSON.stringify(settled)))
    else if (url === '/guardrails') json(response, 200, Buffer.from(JSON.stringify(policies)))
    else if (body.includes('"stream":true')) stream(response)
    else json(response, 200, whole)
  })
})

function json(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
}

function settleAll(response: ServerResponse, body: string): void {
  const { items } = JSON.parse(body) as { items: readonly { readonly id: string }[] }
  json(response, 200, Buffer.from(JSON.stringify({ items: items.map(({ id }) => ({ id, ...settled })) })))
}

function openAll(response: ServerResponse, body: string): void {
  const { items } = JSON.parse(body) as { items: readonly object[] }
  json(response, 200, Buffer.from(JSON.stringify({ items: items.map(() => hold) })))
}

function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  let sent = 0
  const timer = setInterval(() => {
    response.write(frames[sent] ?? '')
    if (++sent < frames.length) return
    clearInterval(timer)
    response.end(last)
  }, paceMs)
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : 0}\n`)
})
