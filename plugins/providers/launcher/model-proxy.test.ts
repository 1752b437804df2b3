import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import test from 'node:test'
import type { TestContext } from 'node:test'
import OpenAI, { APIError } from 'openai'
import { refusing } from '#launcher/testdata/money-server.ts'
import { completes, frameOf, opens, startProxied } from '#launcher/testdata/proxied-launcher.ts'

type Proxied = Awaited<ReturnType<typeof startProxied>>

const messages = [{ role: 'user' as const, content: 'hello' }]
const chat = { model: 'mock', messages }
const zero = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }

function sdk({ url }: Proxied): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'key-of-the-agent', maxRetries: 0 })
}

function post(
  { url }: Pick<Proxied, 'url'>,
  body: unknown,
  headers: Record<string, string> = {},
  path = '/v1/chat/completions',
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text })
}

async function errorOf(answer: Response): Promise<readonly [number, string]> {
  const { error } = (await answer.json()) as { error: { code: string; message: string; type: string } }
  assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code'], 'the error object of OpenAI')
  return [answer.status, error.code]
}

/** A request whose answer the test reads in parts, and which it can cut. */
async function openStream({ port }: Proxied): Promise<{ response: IncomingMessage; request: ClientRequest }> {
  const headers = { 'content-type': 'application/json' }
  const request = httpRequest({ port, method: 'POST', path: '/v1/chat/completions', headers })
  request.on('error', () => undefined)
  request.end(JSON.stringify({ ...chat, stream: true }))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => undefined)
  return { response, request }
}

test('B1, B7: a call is held before it is forwarded with the credentials of the launcher, and settled once', async (t) => {
  const proxied = await startProxied(t)
  const { gateway, money } = proxied
  const evil = { authorization: 'Bearer evil', 'x-mesh-hold': 'h', 'x-mesh-guarded': 'g', 'x-forwarded-host': 'evil' }
  const answer = await post(proxied, { ...chat, max_tokens: 7, n: 2 }, evil)
  const body = (await answer.json()) as { choices: { message: { content: string } }[] }
  assert.equal(body.choices[0]?.message.content, 'Hello there, agent.')
  const given = ['x-mesh-cost', 'x-mesh-budget-remaining', 'x-mesh-provider'].map((name) => answer.headers.get(name))
  assert.deepEqual(given, ['0.25 USD', '4.75', 'default/mock'])

  const [hold] = money.holds()
  const { inputTokens, ...held } = hold?.body ?? {}
  assert.deepEqual(held, {
    runId: null,
    model: 'default/mock',
    operation: 'chat/completions',
    maxOutputTokens: 7,
    choices: 2,
  })
  assert.ok(Number(inputTokens) >= 9, 'an upper estimate')
  assert.equal(hold?.authorization, 'Bearer state-token')
  const [forwarded] = gateway.requests
  assert.equal(forwarded?.headers.authorization, 'Bearer gateway-token')
  assert.notEqual(forwarded?.headers['x-mesh-hold'], 'h')
  assert.match(String(forwarded?.headers['x-mesh-hold']), /^[0-9a-f-]{36}$/)
  assert.deepEqual(
    [forwarded?.headers['x-mesh-guarded'], forwarded?.headers['x-forwarded-host']],
    [undefined, undefined],
  )
  assert.equal(forwarded?.headers['x-mesh-namespace'], 'default')
  const [settlement] = money.settlements()
  assert.equal(settlement?.path, `/budgets/holds/${String(forwarded?.headers['x-mesh-hold'])}/settle`)
  const usage = { ...zero, inputTokens: 9, outputTokens: 5 }
  assert.deepEqual(settlement?.body, { usage, provider: 'default/mock', estimated: false, outcome: 'succeeded' })
  assert.equal(money.settlements().length, 1)
  assert.equal(proxied.spans().length, 1, 'one span for one call')
})

test('a response names route, target and attempts, and is settled by the price of the target that answered', async (t) => {
  const proxied = await startProxied(t)
  const named = { 'x-mesh-route': 'default/mock', 'x-mesh-target': 'default/mock/team%20a/1', 'x-mesh-attempts': '2' }
  const { reply } = proxied.gateway
  proxied.gateway.reply = (response, request) => {
    for (const [name, value] of Object.entries(named)) response.setHeader(name, value)
    reply(response, request)
  }
  for (const stream of [false, true]) {
    const response = await post(proxied, { ...chat, stream })
    await response.text()
    assert.deepEqual(
      Object.keys(named).map((name) => response.headers.get(name)),
      Object.values(named),
    )
  }
  const settled = proxied.money.settlements().map(({ body }) => [body['provider'], body['model']])
  const twice = <Value>(value: Value) => [value, value]
  assert.deepEqual(settled, twice(['default/mock', 'team a/1']))
  const spans = proxied.spans().filter((span) => span['name'] === 'model call')
  assert.deepEqual(
    spans.map((one) => [one['mesh.model.target'], one['mesh.model.attempts']]),
    twice(['default/mock/team%20a/1', 2]),
  )
})

test('B1: a request without a limit gets the one that its hold pays for', async (t) => {
  const proxied = await startProxied(t)
  for (const body of [chat, { ...chat, max_tokens: null }, { ...chat, stream: true, max_completion_tokens: null }])
    await (await post(proxied, body)).text()
  assert.deepEqual(
    proxied.gateway.requests.map(({ body }) => [body['max_tokens'], body['max_completion_tokens']]),
    [
      [4096, undefined],
      [4096, undefined],
      [4096, undefined],
    ],
  )
})

test('B3: usage is requested on each stream, and removed again from what a caller without the option receives', async (t) => {
  const proxied = await startProxied(t)
  const stream = await (await post(proxied, { ...chat, stream: true })).text()
  assert.equal(stream.includes('"usage"'), false)
  assert.match(stream, /\n\n: x-mesh-cost: 0\.25 USD\n: x-mesh-budget-remaining: 4\.75\n\ndata: \[DONE\]\n\n$/)
  const asked = await (await post(proxied, { ...chat, stream: true, stream_options: { include_usage: true } })).text()
  assert.match(asked, /"usage":\{"prompt_tokens":9/)
  for (const { body } of proxied.gateway.requests) assert.deepEqual(body['stream_options'], { include_usage: true })
  const usage = { ...zero, inputTokens: 9, outputTokens: 5 }
  assert.deepEqual(
    proxied.money.settlements().map(({ body }) => body['usage']),
    [usage, usage],
  )
})

test('the SDK of OpenAI completes, streams, reads tool calls and throws the errors of the port', async (t) => {
  const proxied = await startProxied(t)
  const client = sdk(proxied)
  const whole = await client.chat.completions.create(chat)
  assert.equal(whole.choices[0]?.message.content, 'Hello there, agent.')
  let text = ''
  for await (const chunk of await client.chat.completions.create({ ...chat, stream: true }))
    text += chunk.choices[0]?.delta.content ?? ''
  assert.equal(text, 'Hello there, agent.')
  proxied.gateway.reply = (response) => {
    opens(response)
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":' } }
    response.write(frameOf({ role: 'assistant', tool_calls: [call] }))
    response.write(frameOf({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }, 'tool_calls'))
    response.end('data: [DONE]\n\n')
  }
  const run = client.chat.completions.stream(chat)
  const final = await run.finalChatCompletion()
  const [call] = final.choices[0]?.message.tool_calls ?? []
  assert.deepEqual(call?.type === 'function' && call.function.arguments, '{"a":1}')
  proxied.money.faults.push(refusing(/holds$/, 402, 'budget_exceeded'))
  await assert.rejects(client.chat.completions.create(chat), (error) => {
    assert.ok(error instanceof APIError)
    return error.status === 402 && error.code === 'budget_exceeded'
  })
})

test('embeddings are held and settled, and models are relayed without a hold', async (t) => {
  const proxied = await startProxied(t, {
    reply: (response, { path }) => {
      response.writeHead(path.includes('missing') ? 404 : 200, { 'content-type': 'application/json' })
      if (path === '/v1/embeddings')
        response.end('{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":3,"total_tokens":3}}')
      else if (path.includes('missing')) response.end('{"error":{"message":"no model","code":"model_not_found"}}')
      else response.end('{"object":"list","data":[]}')
    },
  })
  const embedded = await post(proxied, { model: 'team/embed', input: ['a'] }, {}, '/v1/embeddings')
  assert.equal(embedded.status, 200)
  assert.deepEqual(proxied.money.settlements()[0]?.body['usage'], { ...zero, inputTokens: 3 })
  assert.equal(proxied.money.holds()[0]?.body['model'], 'team/embed')
  assert.equal((await sdk(proxied).models.list()).data.length, 0)
  assert.deepEqual(await errorOf(await fetch(`${proxied.url}/v1/models/missing`)), [404, 'model_not_found'])
  assert.deepEqual(await errorOf(await fetch(`${proxied.url}/v1/models/..%2f..%2fadmin`)), [404, 'not_found'])
  assert.equal(proxied.money.requests.length, 2, 'models have no hold')
  assert.equal(proxied.gateway.requests.filter(({ path }) => path.includes('admin')).length, 0)
})

test('each refusal of the state role is the status, code and header of the interface, and nothing is forwarded', async (t) => {
  const proxied = await startProxied(t)
  const rows: [number, string, number, string, Record<string, string>?][] = [
    [402, 'budget_exceeded', 402, 'budget_exceeded'],
    [429, 'rate_limited', 429, 'rate_limited', { 'retry-after': '7' }],
    [429, 'concurrency_limited', 429, 'concurrency_limited', { 'retry-after': '2' }],
    [429, 'too_many_requests', 429, 'rate_limited'],
    [422, 'price_unknown', 422, 'price_unknown'],
    [404, 'not_found', 404, 'not_found'],
    [404, 'no_such_route', 503, 'budget_unavailable'],
    [503, 'store_unavailable', 503, 'budget_unavailable'],
    [401, 'unauthenticated', 503, 'budget_unavailable'],
    [500, 'internal_error', 503, 'budget_unavailable'],
    [200, 'odd', 503, 'budget_unavailable'],
  ]
  for (const [status, code, expected, answered, headers = {}] of rows)
    for (const body of [chat, { ...chat, stream: true }]) {
      proxied.money.faults[0] = refusing(/holds$/, status, code, headers)
      const answer = await post(proxied, body)
      assert.deepEqual(await errorOf(answer), [expected, answered], `${status} ${code}`)
      if (expected === 429) assert.equal(answer.headers.get('retry-after'), headers['retry-after'] ?? '1')
    }
  assert.deepEqual(proxied.gateway.requests, [])
  assert.deepEqual([proxied.money.settlements(), proxied.money.releases()], [[], []])
})

test('an agent without budget and quota is forwarded without a hold', async (t) => {
  const proxied = await startProxied(t)
  proxied.money.faults.push(refusing(/holds$/, 404, 'unbudgeted'))
  const answer = await post(proxied, chat)
  assert.deepEqual([answer.status, answer.headers.get('x-mesh-cost')], [200, null])
  assert.equal(proxied.gateway.requests[0]?.headers['x-mesh-hold'], undefined)
  assert.equal(proxied.money.requests.length, 1)
})

test('B5: without a state role no call is forwarded, and the refusal differs from an exceeded budget', async (t) => {
  const proxied = await startProxied(t)
  await proxied.money.close()
  assert.deepEqual(await errorOf(await post(proxied, chat)), [503, 'budget_unavailable'])
  assert.deepEqual(proxied.gateway.requests, [])
})

test('a gateway that is down is a 502, and the hold of a call that was not sent is released', async (t) => {
  const proxied = await startProxied(t)
  proxied.gateway.server.closeAllConnections()
  proxied.gateway.server.close()
  await once(proxied.gateway.server, 'close')
  assert.deepEqual(await errorOf(await post(proxied, chat)), [502, 'gateway_unavailable'])
  assert.deepEqual([proxied.money.releases().length, proxied.money.settlements().length], [1, 0])
})

test('B3: errors of the gateway are relayed in form and cost nothing; a cut or unknown answer costs the hold', async (t) => {
  const proxied = await startProxied(t)
  const { money, gateway } = proxied
  const json = { 'content-type': 'application/json', 'retry-after': '9', 'x-secret': 's' }
  const error = JSON.stringify({ error: { message: 'slow down', type: 'x', param: 'p', code: 'rate_limit_exceeded' } })
  const usageOfLast = () => money.settlements().at(-1)?.body['usage']
  gateway.reply = (response) => void response.writeHead(429, json).end(error)
  const limited = await post(proxied, chat)
  assert.deepEqual([limited.headers.get('retry-after'), limited.headers.get('x-secret')], ['9', null])
  assert.deepEqual(await errorOf(limited), [429, 'rate_limit_exceeded'])
  assert.deepEqual(usageOfLast(), zero)
  gateway.reply = (response) => void response.writeHead(504, json).end(error)
  assert.equal((await post(proxied, chat)).status, 504)
  assert.equal(usageOfLast(), null, 'a time-out at the provider')
  gateway.reply = (response) => response.destroy()
  assert.deepEqual(await errorOf(await post(proxied, chat)), [502, 'gateway_unavailable'])
  assert.equal(usageOfLast(), null, 'no answer')
  gateway.reply = (response) => void response.writeHead(200, json).end('{"choices":[]}')
  assert.equal((await post(proxied, chat)).status, 200)
  assert.equal(usageOfLast(), null, 'an answer without usage')
  gateway.reply = (response) => {
    opens(response)
    response.write(frameOf({ content: 'Hel' }), () => response.destroy())
  }
  const text = await (await post(proxied, { ...chat, stream: true })).text()
  assert.match(text, /"Hel".*\n\ndata: \{"error":\{[^\n]*"code":"gateway_unavailable"\}\}\n\n$/s)
  assert.equal(usageOfLast(), null, 'a stream that the gateway cut')
  assert.equal(money.settlements().length, 5)
})

test('B3: a caller that leaves after any chunk ends the upstream call, and pays at least for its input', async (t) => {
  const chunks = 6
  const proxied = await startProxied(t)
  const { money, gateway } = proxied
  for (let after = 0; after <= chunks; after++) {
    const written = Promise.withResolvers<void>()
    gateway.reply = (response) => {
      opens(response)
      for (let n = 0; n < after; n++) response.write(frameOf({ content: `word ${n} ` }))
      written.resolve()
    }
    const { request, response } = await openStream(proxied)
    await written.promise
    // The caller leaves when the last of the chunks has passed the port.
    let text = ''
    const lastWord = after === 0 ? '' : `word ${after - 1} `
    while (!text.includes(lastWord)) text += String((await once(response, 'data'))[0])
    request.destroy()
    await money.until(/settle$/, after + 1)
    const { usage, estimated, outcome } = (money.settlements()[after]?.body ?? {}) as {
      usage: { inputTokens: number; outputTokens: number }
      estimated: boolean
      outcome: string
    }
    assert.deepEqual([estimated, outcome], [true, 'aborted'])
    assert.ok(usage.inputTokens >= 5, 'the input')
    assert.ok(usage.outputTokens >= after, `${usage.outputTokens} tokens after ${after} chunks`)
  }
  assert.equal(money.releases().length, 0)
  assert.equal(money.settlements().length, chunks + 1)
})

test('B3: usage that arrived before the caller left is what is settled', async (t) => {
  const proxied = await startProxied(t)
  proxied.gateway.reply = (response) => {
    opens(response)
    response.write(frameOf({ content: 'x' }, 'stop'))
    response.write(
      'data: {"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":1}}\n\ndata: {"choices":[],"n":1}\n\n',
    )
  }
  const { request, response } = await openStream(proxied)
  let text = ''
  while (!text.includes('"n":1')) text += String((await once(response, 'data'))[0])
  request.destroy()
  await proxied.money.until(/settle$/)
  const expected = { usage: { ...zero, inputTokens: 2, outputTokens: 1 }, provider: 'default/mock', estimated: false }
  assert.deepEqual(proxied.money.settlements()[0]?.body, { ...expected, outcome: 'aborted' })
})

test('frames pass unchanged however they are cut, with LF, CRLF and CR', async (t) => {
  const proxied = await startProxied(t)
  const whole = [
    'data: {"model":"m","choices":[{"delta":{"content":"é"}}]}',
    'data: {"choices":[{"delta":{"content":"b"}}]}',
  ]
  for (const end of ['\n', '\r\n', '\r'])
    for (const size of [1, 7, 64, 4096]) {
      const bytes = Buffer.from(
        [...whole, 'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}', 'data: [DONE]']
          .map((line) => line + end + end)
          .join(''),
      )
      proxied.gateway.reply = (response) => {
        opens(response)
        for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size))
        response.end()
      }
      const text = await (await post(proxied, { ...chat, stream: true })).text()
      const money = ': x-mesh-cost: 0.25 USD\n: x-mesh-budget-remaining: 4.75\n\n'
      assert.equal(
        text,
        `${whole.map((line) => `${line}\n\n`).join('')}${money}data: [DONE]\n\n`,
        `${JSON.stringify(end)} ${size}`,
      )
    }
  for (const { body } of proxied.money.settlements())
    assert.deepEqual(body['usage'], { ...zero, inputTokens: 1, outputTokens: 1 })
})

test('B2: a settlement that the state role does not take is sent again, and the answer does not wait for it', async (t) => {
  const proxied = await startProxied(t)
  const fault = refusing(/settle$/, 503, 'store_unavailable')
  proxied.money.faults.push(fault)
  const answer = await post(proxied, chat)
  assert.deepEqual([answer.status, answer.headers.get('x-mesh-cost')], [200, null])
  proxied.money.faults.pop()
  await proxied.money.until(/settle$/, 2)
  const [first, second] = proxied.money.settlements()
  assert.deepEqual(first, second)
})

test('F1, F5: malformed requests are refused in the form of OpenAI before a hold', async (t) => {
  const proxied = await startProxied(t)
  const bodies: unknown[] = [
    '',
    '{',
    '[]',
    'null',
    '"\\ud800"',
    `${'['.repeat(70)}${']'.repeat(70)}`,
    '{"__proto__":{},"model":"a","messages":[{}]}',
    {},
    { model: 'mock' },
    { ...chat, model: '' },
    { ...chat, model: 7 },
    { ...chat, model: '../x' },
    { ...chat, model: 'a/b/c' },
    { ...chat, model: 'agent/default/other' },
    { ...chat, model: 'a\u0000b' },
    { ...chat, messages: [] },
    { ...chat, messages: 'x' },
    { ...chat, messages: [1] },
    { ...chat, stream: 'yes' },
    { ...chat, max_tokens: 1e308 },
    { ...chat, max_tokens: -1 },
    { ...chat, max_tokens: '5' },
    { ...chat, n: 0 },
    { ...chat, n: 1000 },
  ]
  for (const body of bodies)
    assert.deepEqual(await errorOf(await post(proxied, body)), [400, 'malformed_request'], String(body))
  assert.deepEqual(await errorOf(await post(proxied, { model: 'm' }, {}, '/v1/embeddings')), [400, 'malformed_request'])
  assert.deepEqual(await errorOf(await post(proxied, chat, { 'content-type': 'text/plain' })), [
    415,
    'unsupported_media_type',
  ])
  assert.deepEqual(await errorOf(await post(proxied, chat, { origin: 'http://evil' })), [403, 'origin_refused'])
  assert.deepEqual(await errorOf(await post(proxied, chat, {}, '/v1/files')), [404, 'not_found'])
  assert.deepEqual(await errorOf(await post(proxied, chat, { 'x-conversation-id': 'a b' })), [400, 'malformed_request'])
  assert.deepEqual(await errorOf(await post(proxied, chat, { 'x-mesh-run-id': 'none' })), [404, 'unknown_run'])
  assert.deepEqual([proxied.money.requests, proxied.gateway.requests], [[], []])
})

test('a body above the limit is refused by its length, before it is sent', async (t) => {
  const { port } = await startProxied(t)
  const headers = { 'content-type': 'application/json', 'content-length': String(32 * 1024 * 1024 + 1) }
  const request = httpRequest({ port, method: 'POST', path: '/v1/chat/completions', headers })
  request.on('error', () => undefined)
  request.flushHeaders()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 413)
  request.destroy()
})

test('P3: a draining launcher refuses calls of no run, and a stop settles those in progress', async (t: TestContext) => {
  const proxied = await startProxied(t)
  proxied.gateway.reply = (response) => {
    opens(response)
    response.write(frameOf({ content: 'one' }))
  }
  const { response } = await openStream(proxied)
  await once(response, 'data')
  proxied.launcher.drain()
  assert.deepEqual(await errorOf(await post(proxied, chat)), [503, 'draining'])
  let idle = false
  const waiting = proxied.launcher.idle().then(() => (idle = true))
  assert.equal(idle, false)
  let text = ''
  response.on('data', (chunk: Buffer) => (text += String(chunk)))
  const ended = once(response, 'close')
  await proxied.close()
  await waiting
  assert.equal(proxied.money.settlements().length, 1, 'settled before the launcher has closed')
  assert.equal(proxied.money.settlements()[0]?.body['outcome'], 'aborted')
  await ended
  assert.match(text, /"code":"draining"/)
})

test('a call may end with the launcher: completes within the grace period', async (t) => {
  const proxied = await startProxied(t)
  const finish = Promise.withResolvers<void>()
  proxied.gateway.reply = (response, request) => {
    opens(response)
    response.write(frameOf({ content: 'one' }))
    void finish.promise.then(() => completes('two')(Object.assign(response, { writeHead: () => response }), request))
  }
  const { response } = await openStream(proxied)
  await once(response, 'data')
  proxied.launcher.drain()
  const idle = proxied.launcher.idle()
  finish.resolve()
  await idle
  assert.equal(proxied.money.settlements()[0]?.body['outcome'], 'succeeded')
})
