import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import OpenAI from 'openai'
import { Type } from 'typebox'
import type { RequestLimits } from '#core/config/request-limits.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { buildServer, REJECTED } from '#core/http/testing/build-server.ts'
import { sendLargeBody } from '#test/harness/large-body.ts'
import { createErrorFormat } from './request/error-format.ts'

const messages = [{ role: 'user' as const, content: 'hello there' }]

// The listener of the gateway with one route, which holds each request until it is released.
async function startListener(t: TestContext, limits: Partial<RequestLimits>) {
  const [entered, released] = [[1, 2].map(() => Promise.withResolvers<void>()), Promise.withResolvers<void>()]
  let count = 0
  const chat = endpoint({
    method: 'POST',
    url: '/chat/completions',
    summary: 'x',
    authz: { kind: 'bearer' },
    body: Type.Unknown(),
    response: { 200: Type.Unknown() },
    handle: async () => {
      entered[count++]?.resolve()
      await released.promise
      return { choices: [] }
    },
  })
  const errorFormat = createErrorFormat({ bodyLimit: 1024 })
  const { app } = await buildServer(t, [{ endpoints: [chat] }], { limits, errorFormat })
  const baseURL = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api`
  const call = (apiKey: string): Promise<unknown> =>
    new OpenAI({ baseURL, apiKey, maxRetries: 0 }).chat.completions.create({ model: 'mock', messages })
  const port = Number(new URL(baseURL).port)
  return { port, call, entered: entered.map(({ promise }) => promise), release: released.resolve }
}

// The error that the SDK throws, as a user sees it.
async function refusalOf(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => assert.fail('was not refused'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof OpenAI.APIError, String(error))
  const { status, code, type, message, headers } = error
  return { status, code, type, message, retryAfter: Number(headers?.get('retry-after')) }
}

test('R2-M14: a client that writes 64 MiB before it reads gets a 413 of the gateway', async (t) => {
  const { port } = await startListener(t, {})
  for (const framing of ['length', 'chunked'] as const) {
    const head = [
      'POST /api/chat/completions HTTP/1.1',
      'Host: 127.0.0.1',
      'Authorization: Bearer some-token',
      'Content-Type: application/json',
    ]
    const { text, error } = await sendLargeBody({ port, head, framing, mebibytes: 64 })
    assert.deepEqual([error, text.slice(0, 13)], [undefined, 'HTTP/1.1 413 '], framing)
    assert.match(text, /connection: close\r\n[\s\S]*"code":"payload_too_large"[\s\S]*\}\n$/i)
  }
})

test('R2-UX-21: errors of the gateway end with a newline', async (t) => {
  const { port } = await startListener(t, {})
  for (const [method, path] of [
    ['POST', 'chat/completions'],
    ['GET', 'none'],
  ] as const) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/${path}`, { method })
    const text = await answer.text()
    assert.equal(answer.ok, false)
    assert.match(text, /^\{"error":.*\}\n$/, path)
    assert.equal(answer.headers.get('content-length'), String(Buffer.byteLength(text)))
  }
})

const overloaded = { status: 503, code: 'overloaded', type: 'api_error' }
const limited = { status: 429, code: 'too_many_requests', type: 'rate_limit_error' }

for (const [limit, value, expected] of [
  ['authenticationsPerAddress', 0, limited],
  ['bodyBytes', 8, overloaded],
  ['bodyBytesPerCaller', 8, limited],
] as const)
  test(`gateway: a request beyond limits.${limit} gets an OpenAI error with Retry-After`, async (t) => {
    const { call, release } = await startListener(t, { [limit]: value })
    release()
    const { message, retryAfter, ...refusal } = await refusalOf(call('some-token'))
    assert.deepEqual(refusal, expected)
    assert.ok(message.includes(`limits.${limit}`) && retryAfter >= 1, `${message} ${retryAfter}`)
  })

test('gateway: a saturated listener answers with OpenAI errors and Retry-After, and serves again afterwards', async (t) => {
  const { call, entered, release } = await startListener(t, { underWay: 2, underWayPerCaller: 1 })
  const first = call('some-token')
  await entered[0]
  const { message, retryAfter, ...ofCaller } = await refusalOf(call('some-token'))
  assert.deepEqual(ofCaller, limited)
  assert.ok(message.includes('limits.underWayPerCaller') && retryAfter === 1, `${message} ${retryAfter}`)
  const second = call('other-token')
  await entered[1]
  const total = await refusalOf(call('denied-token'))
  assert.partialDeepStrictEqual(total, overloaded)
  assert.ok(total.retryAfter === 1)
  release()
  await Promise.all([first, second])
  await call('some-token')
})

test('gateway: rate limits of a user and of an address answer with OpenAI errors and Retry-After', async (t) => {
  const { call, release } = await startListener(t, { perCallerPerMinute: 1, perAddressPerMinute: 1 })
  release()
  await call('some-token')
  const ofCaller = await refusalOf(call('some-token'))
  assert.partialDeepStrictEqual(ofCaller, limited)
  assert.ok(ofCaller.retryAfter >= 1 && ofCaller.retryAfter <= 60)
  assert.partialDeepStrictEqual(await refusalOf(call(REJECTED)), { status: 401, type: 'authentication_error' })
  const ofAddress = await refusalOf(call(REJECTED))
  assert.partialDeepStrictEqual(ofAddress, limited)
  assert.ok(ofAddress.retryAfter >= 1 && ofAddress.retryAfter <= 60)
})
