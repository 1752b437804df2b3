import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { contribute } from '#core/jobs/extension-point.ts'
import { modelFilter } from '#plugins/providers/contract/points.ts'
import { addKey, addRoute, startGateway, startUpstream } from '#plugins/providers/testing/gateway.ts'
import { createPolicyFilters } from './filters/policy-filters.ts'
import { applyPolicy, word, wordRule } from './testing/policies.ts'

const escaped = [...word].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
const say = (more: string, content = '"hello"') =>
  `{"model":"up","messages":[{"role":"user","content":${content}}]${more}}`

test('bodies under rules in the gateway', async (t) => {
  const gateway = await startGateway(t, (core) =>
    createPolicyFilters(core, 0).map((filter) => contribute(modelFilter, filter)),
  )
  const { a } = gateway.namespaces
  let reply: (response: ServerResponse) => void = () => undefined
  const upstream = await startUpstream(t, (response) => reply(response))
  const json = (text: string): void => {
    reply = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  }
  const choice = (message: object) => JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] })
  json(choice({ role: 'assistant', content: 'fine' }))
  await addRoute(gateway.admin, a, 'up', { provider: { type: 'openai', baseUrl: upstream.url } })
  await addKey(gateway, a, { name: 'claude', key: 'sk-ant-canary', origin: new URL(upstream.url).origin })
  const native = { type: 'anthropic', baseUrl: upstream.url, secretRef: { name: 'claude', key: 'key' } }
  await addRoute(gateway.admin, a, 'claude', { provider: native })
  const policy = (...rules: ReturnType<typeof wordRule>[]) =>
    applyPolicy(gateway.admin, a, 'p', { appliesTo: 'namespace', rules })
  const post = (document: string, path = 'chat/completions') =>
    fetch(`${gateway.url}/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.kube.tokens['admin']}`,
        'content-type': 'application/json',
        'x-mesh-namespace': a,
      },
      body: document,
    })
  const sent = (): string => upstream.seen.at(-1)?.text ?? ''
  await policy(wordRule('mask'))

  await t.test('R2-N1, R2-N7: every field of a request is masked, names included', async () => {
    for (const more of [
      `,"tools":[{"type":"function","function":{"name":"f","description":"${word}"}}]`,
      `,"metadata":{"${word}":"${escaped}"}`,
      `,"x_unknown":{"url":"${word}","data":"${escaped}","id":["${word}"]}`,
    ]) {
      assert.equal((await post(say(more))).status, 200)
      assert.equal(sent().includes(word), false, sent())
      assert.ok(sent().includes('[masked]'))
    }
  })

  await t.test('R2-N1: a request of a provider with the Messages API is masked as it is sent', async () => {
    json(
      '{"id":"m","type":"message","role":"assistant","model":"c","content":[{"type":"text","text":"fine"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}',
    )
    const messages = `[{"role":"user","name":"${word}","content":[{"type":"text","text":"MAGE"},{"type":"text","text":"NTA-7"},{"type":"tool_result","tool_use_id":"t","content":"x","note":"${word}"}]}]`
    const document = `{"model":"claude","max_tokens":5,"top_p":1.0,"metadata":{"user_id":"${word}"},"tools":[{"name":"f","input_schema":{"type":"object","description":"${word}"},"note":"${word}"}],"messages":${messages}}`
    assert.equal((await post(document, 'messages')).status, 200)
    assert.equal(sent().includes(word) || sent().includes('MAGE'), false, sent())
    assert.equal(sent().split('[masked]').length, 7, sent())
    assert.ok(sent().includes('"top_p":1.0'))
    json(choice({ role: 'assistant', content: 'fine' }))
  })

  await t.test('R2-N1: what no rule changes is sent byte for byte, apart from the name of the model', async () => {
    const more = ` , "temperature": 1.0,"metadata":{"n":9007199254740993, "t":"\\u00e9\\/"}`
    await post(say(more))
    assert.equal(sent(), say(more).replace('"up"', '"test-1"'))
    await post(say(more, `"${word} \\u0041"`))
    assert.equal(sent(), say(more, '"[masked] A"').replace('"up"', '"test-1"'))
    await post(`{"model":"up","messages":[{"role":"user","content":"${word}","content":"fine"}]}`)
    assert.equal(sent(), '{"model":"test-1","messages":[{"role":"user","content":"fine"}]}')
  })

  await t.test('R2-N2: arguments of tool calls are judged by their strings, or refused', async () => {
    const call = (text: string) => ({ id: 'c', type: 'function', function: { name: 'f', arguments: text } })
    const history = (text: string) =>
      JSON.stringify({ model: 'up', messages: [{ role: 'assistant', content: null, tool_calls: [call(text)] }] })
    await post(history(`{"q":"a\\n\\"${escaped}\\"", "n":1.0}`))
    assert.equal(sent(), history('{"q":"a\\n\\"[masked]\\"", "n":1.0}').replace('"up"', '"test-1"'))
    const refused = await post(history('{"q":'))
    assert.equal(refused.status, 403)
    assert.match(await refused.text(), /messages\[0\]\.tool_calls\[0\]\.function\.arguments: must be JSON/)
    json(choice({ role: 'assistant', content: null, tool_calls: [call(`{"q":"${escaped}","n":1.0}`)] }))
    const answer = (await (await post(say(''))).json()) as { choices: { message: { tool_calls: unknown } }[] }
    assert.deepEqual(answer.choices[0]?.message.tool_calls, [call('{"q":"[masked]","n":1.0}')])
    json(choice({ role: 'assistant', content: null, tool_calls: [call('{"q"')] }))
    assert.match(await (await post(say(''))).text(), /guardrail_blocked/)
  })

  await t.test('R2-N6: a field of a stream is one text, also where other fields come between', async () => {
    const frame = (delta: object, reason: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
    const deltas = [
      { content: 'a MAGE' },
      { reasoning_content: 'hm' },
      { content: 'NTA-' },
      { reasoning_content: 'so' },
    ]
    reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const delta of [...deltas, { content: '7 b' }]) response.write(frame(delta))
      response.end(`${frame({}, 'stop')}data: [DONE]\n\n`)
    }
    const stream = await (await post(say(',"stream":true'))).text()
    const textOf = (field: string): string =>
      [...stream.matchAll(new RegExp(`"${field}":"([^"]*)"`, 'g'))].map(([, text]) => text).join('')
    assert.equal(textOf('content').includes(word), false, stream)
    assert.match(textOf('content'), /^a .* b$/)
    assert.equal(textOf('reasoning_content'), 'hmso')
    await policy(wordRule('block', ['response']))
    assert.match(await (await post(say(',"stream":true'))).text(), /guardrail_blocked/)
  })

  await t.test('R2-N6: a match with gaps is held back as a whole', async () => {
    const number = [...'4111111111111111'].join('\u200b'.repeat(300))
    await policy({ name: 'card', action: 'mask', pii: { kinds: ['credit_card'] } })
    const frame = (delta: object, reason: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
    reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const part of `pay ${number} now`.match(/[^]{1,50}/g) ?? []) response.write(frame({ content: part }))
      response.end(`${frame({}, 'stop')}data: [DONE]\n\n`)
    }
    const stream = await (await post(say(',"stream":true'))).text()
    const text = [...stream.matchAll(/"content":"([^"]*)"/g)].map(([, one]) => one).join('')
    assert.equal(text, 'pay [masked] now')
  })
})
