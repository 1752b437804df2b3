import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import type { GatewayReply } from '#launcher/testdata/proxied-launcher.ts'
import { completes, frameOf, opens, startProxied } from '#launcher/testdata/proxied-launcher.ts'

const word = 'MAGENTA-7'
const escaped = [...word].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

async function startGuarded(t: TestContext, action: GuardrailRule['action'], stages?: GuardrailRule['stages']) {
  const proxied = await startProxied(t, { config: { plugins: { guardrails: { enabled: true } } } })
  const rule = {
    name: 'words',
    action,
    regex: { patterns: ['MAGENTA-[0-9]'] },
    ...(stages === undefined ? {} : { stages }),
  }
  const policy = { namespace: 'default', name: 'p', uid: 'u', generation: 1, rules: [rule] }
  proxied.money.faults.push((request, response) => {
    if (request.path !== '/guardrails') return false
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ digest: 'd1', policies: [policy] }))
    return true
  })
  const post = (document: string, path = '/v1/chat/completions') =>
    fetch(proxied.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: document })
  const sent = (): string => proxied.gateway.requests.at(-1)?.text ?? ''
  return { ...proxied, post, sent }
}

const say = (more: string, content = '"hello"') =>
  `{"model":"mock","messages":[{"role":"user","content":${content}}]${more}}`

test('R2-N1, R2-N7: every field of a request is masked before it leaves the pod, in each API', async (t) => {
  const { post, sent } = await startGuarded(t, 'mask', ['request'])
  const chats = [
    say(`,"tools":[{"type":"function","function":{"name":"f","description":"${word}"}}]`),
    say(`,"metadata":{"${word}":"${escaped}"}`),
    say(`,"x_unknown":{"url":"${word}","data":"${escaped}","id":"${word}"}`),
    say('', `[{"type":"image_url","image_url":{"url":"https://x.test/${word}"}}]`),
  ]
  for (const chat of chats) {
    assert.equal((await post(chat)).status, 200)
    assert.equal(sent().includes(word) || sent().includes(escaped), false, sent())
  }
  await post(
    `{"model":"mock","max_tokens":5,"metadata":{"user_id":"${word}"},"messages":[{"role":"user","content":"x"}]}`,
    '/v1/messages',
  )
  assert.ok(sent().includes('"user_id":"[masked]"'), sent())
  await post(`{"model":"mock","input":["${word}"],"user":"${word}"}`, '/v1/embeddings')
  assert.equal(sent().includes(word), false)
  await post(
    `{"model":"mock","instructions":"${word}","input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{\\"a\\":\\"${escaped.replaceAll('\\', '\\\\')}\\"}"}]}`,
    '/v1/responses',
  )
  assert.equal(sent().split('[masked]').length, 3, sent())
})

test('R2-N1: what no rule changes is forwarded byte for byte, and a mask leaves the bytes around it', async (t) => {
  const { post, sent } = await startGuarded(t, 'mask')
  const more = ` , "temperature": 1.0,"metadata":{"n":9007199254740993, "t":"\\u00e9\\/"}`
  await post(say(more))
  assert.equal(sent(), say(more))
  await post(say(more, `"${word} \\u0041"`))
  assert.equal(sent(), say(more, '"[masked] A"'))
  await post(`{"model":"mock","messages":[{"role":"user","content":"${word}","content":"fine"}]}`)
  assert.equal(sent(), '{"model":"mock","messages":[{"role":"user","content":"fine"}]}', 'what a rule did not see')
})

test('R2-N2: arguments of tool calls are judged by their strings in requests and answers, or refused', async (t) => {
  const { post, sent, gateway } = await startGuarded(t, 'mask')
  const history = (json: string) =>
    `{"model":"mock","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${JSON.stringify(json)}}}]}]}`
  await post(history(`{"q":"a\\n\\"${escaped}\\"", "n":1.0}`))
  assert.equal(sent(), history('{"q":"a\\n\\"[masked]\\"", "n":1.0}'))
  const refused = await post(history('{"q":'))
  const { error } = (await refused.json()) as { error: { message: string } }
  assert.equal(refused.status, 400)
  assert.match(error.message, /messages\[0\]\.tool_calls\[0\]\.function\.arguments: must be JSON/)
  const answerWith =
    (json: string): GatewayReply =>
    (response) => {
      opens(response)
      for (const part of [json.slice(0, 9), json.slice(9)])
        response.write(frameOf({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: part } }] }))
      response.write(frameOf({}, 'tool_calls'))
      response.end('data: [DONE]\n\n')
    }
  gateway.reply = answerWith(`{"q":"${escaped}","n":1.0}`)
  const streamed = await (await post(say(',"stream":true'))).text()
  assert.ok(streamed.includes('"arguments":"{\\"q\\":\\"[masked]\\",\\"n\\":1.0}"'), streamed)
  gateway.reply = answerWith(`{"q":"${word}`)
  assert.match(await (await post(say(',"stream":true'))).text(), /tool call are not JSON/)
})

test('R2-N6: a field of a stream is one text, also where other fields come between', async (t) => {
  const { post, gateway } = await startGuarded(t, 'mask', ['response'])
  const deltas = [
    { content: 'a MAGE' },
    { reasoning_content: 'hm' },
    { content: 'NTA-' },
    { reasoning_content: 'so' },
    { content: '7 b' },
  ]
  gateway.reply = (response) => {
    opens(response)
    for (const delta of deltas) response.write(frameOf(delta))
    response.write(frameOf({}, 'stop'))
    response.end('data: [DONE]\n\n')
  }
  const stream = await (await post(say(',"stream":true'))).text()
  const textOf = (field: string) =>
    [...stream.matchAll(new RegExp(`"${field}":"([^"]*)"`, 'g'))].map(([, text]) => text).join('')
  assert.equal(textOf('content').includes(word), false)
  assert.match(textOf('content'), /^a .*\[masked\] b$/)
  assert.equal(textOf('reasoning_content'), 'hmso')
})

test('R2-N6: a stream that is split over fields is blocked', async (t) => {
  const { post, gateway } = await startGuarded(t, 'block', ['response'])
  gateway.reply = (response) => {
    opens(response)
    for (const delta of [{ content: 'MAGE' }, { reasoning_content: 'hm' }, { content: 'NTA-7' }])
      response.write(frameOf(delta))
    response.write(frameOf({}, 'stop'))
    response.end('data: [DONE]\n\n')
  }
  assert.match(await (await post(say(',"stream":true'))).text(), /guardrail_blocked/)
})

test('R2-N1: an answer that no rule changes is passed byte for byte', async (t) => {
  const { post, gateway } = await startGuarded(t, 'mask', ['response', 'tool_call'])
  const message = (content: string) =>
    `{"id":"c", "n":1.0,"choices":[{"index":0,"message":{"role":"assistant","content":"${content}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"cost":0.10} }`
  gateway.reply = (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(message('\\u00e9'))
  assert.equal(await (await post(say(''))).text(), message('\\u00e9'))
  gateway.reply = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(message(word))
  assert.equal(await (await post(say(''))).text(), message('[masked]'))
  gateway.reply = completes('fine')
})
