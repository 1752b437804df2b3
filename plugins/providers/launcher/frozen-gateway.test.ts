import assert from 'node:assert/strict'
import test from 'node:test'
import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk'
import OpenAI, { APIError } from 'openai'
import { post, readEvents } from '#launcher/testdata/launch.ts'
import { completes, frameOf, opens, startProxied } from '#launcher/testdata/proxied-launcher.ts'
import type { GatewayReply } from '#launcher/testdata/proxied-launcher.ts'

const messages = [{ role: 'user' as const, content: 'hello' }]
const ask = { model: 'mock', max_tokens: 5, messages }

/** Accepts the request and sends nothing, as a stopped process does. */
const frozen: GatewayReply = () => undefined

/** Is frozen in the middle of a stream. */
const frozenLater: GatewayReply = (response) => {
  opens(response)
  response.write(frameOf({ content: 'Hel' }))
}

test('B3: a frozen gateway ends a call in time, in the form of its API, and the hold is charged', async (t) => {
  const proxied = await startProxied(t, {
    reply: frozen,
    env: { MESH_GATEWAY_TIMEOUT_SECONDS: '0.3', MESH_GATEWAY_IDLE_SECONDS: '0.3' },
  })
  const openai = new OpenAI({ baseURL: `${proxied.url}/v1`, apiKey: 'any', maxRetries: 0 })
  const anthropic = new Anthropic({ baseURL: proxied.url, apiKey: 'any', maxRetries: 0 })
  const ofOpenAi = (error: unknown): boolean => {
    assert.ok(error instanceof APIError)
    assert.deepEqual([error.status, error.code, error.type], [504, 'gateway_timeout', 'api_error'])
    return true
  }
  await assert.rejects(openai.chat.completions.create(ask), ofOpenAi)
  await assert.rejects(openai.responses.create({ model: 'mock', input: 'x', stream: true }), ofOpenAi)
  await assert.rejects(anthropic.messages.create(ask), (error) => {
    assert.ok(error instanceof AnthropicError)
    assert.deepEqual([error.status, error.type], [504, 'timeout_error'])
    return true
  })

  proxied.gateway.reply = frozenLater
  const seen: string[] = []
  const read = async (): Promise<void> => {
    const stream = await openai.chat.completions.create({ ...ask, stream: true })
    for await (const chunk of stream) seen.push(chunk.choices[0]?.delta.content ?? '')
  }
  await assert.rejects(read(), (error) => error instanceof APIError && error.code === 'gateway_timeout')
  assert.deepEqual(seen, ['Hel'])
  await assert.rejects(anthropic.messages.stream(ask).finalMessage(), (error) => {
    return error instanceof AnthropicError && error.type === 'timeout_error'
  })

  // Usage null is charged at the hold: the provider may have worked.
  await proxied.money.until(/\/settle$/, 5)
  const settled = proxied.money.settlements().map(({ body }) => [body['usage'], body['outcome']])
  assert.deepEqual(
    settled,
    Array.from({ length: 5 }, () => [null, 'failed']),
  )
  assert.equal(proxied.money.releases().length, 0)
  proxied.gateway.reply = completes()
  assert.equal((await openai.chat.completions.create(ask)).choices[0]?.message.content, 'Hello there, agent.')
})

test('the built-in loop fails its run when the gateway is frozen', async (t) => {
  const proxied = await startProxied(t, {
    command: [],
    config: { model: { route: 'mock' } },
    reply: frozen,
    env: { MESH_GATEWAY_TIMEOUT_SECONDS: '0.3' },
  })
  const url = `http://127.0.0.1:${proxied.open['invoke']}`
  await post(`${url}/invoke`, { input: 'hi' }, { 'x-mesh-run-id': 'r1' })
  const { kind, data } = (await readEvents(`${url}/runs/r1/events`)).at(-1) ?? assert.fail()
  assert.deepEqual(
    [kind, data['failReason'], data['message']],
    ['run.failed', 'model_error', 'The model gateway did not respond in time.'],
  )
})
