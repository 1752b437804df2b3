import assert from 'node:assert/strict'
import test from 'node:test'
import { frameOf, opens, startProxied } from '#launcher/testdata/proxied-launcher.ts'

const ask = { model: 'mock', stream: true, messages: [{ role: 'user', content: 'hello' }] }
const money = ': x-mesh-cost: 0.25 USD\n: x-mesh-budget-remaining: 4.75\n\n'
const usage = { prompt_tokens: 9, completion_tokens: 5 }

test('B3: a stream whose last event has no end is settled by it, and the cost follows as its own event', async (t) => {
  const proxied = await startProxied(t)
  const text = frameOf({ content: 'Hi' })
  const counted = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }], usage })}`
  const hidden = `data: ${JSON.stringify({ choices: [], usage })}`
  for (const [sent, received] of [
    [`${text}${counted}`, `${text}${counted}\n\n${money}`],
    [`${text}${hidden}\r\n`, `${text}${money}`],
    [`\uFEFF${text}${hidden}\n\ndata: [DONE]`, `\uFEFF${text}${money}data: [DONE]\n\n`],
  ]) {
    proxied.gateway.reply = (response) => {
      opens(response)
      response.end(sent)
    }
    const headers = { 'content-type': 'application/json' }
    const request = { method: 'POST', headers, body: JSON.stringify(ask) }
    const response = await fetch(`${proxied.url}/v1/chat/completions`, request)
    assert.equal(Buffer.from(await response.arrayBuffer()).toString(), received)
  }
  await proxied.money.until(/\/settle$/, 3)
  for (const { body } of proxied.money.settlements()) {
    const { inputTokens, outputTokens } = body['usage'] as { inputTokens: number; outputTokens: number }
    assert.deepEqual([inputTokens, outputTokens, body['outcome']], [9, 5, 'succeeded'])
  }
})
