import { once } from 'node:events'
import { request } from 'node:http'
import OpenAI from 'openai'
import assert from 'node:assert/strict'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { refused } from '../testing/gateway.ts'
import { delta, doneFrame, hello, frame, refusedByAnthropic, startApis, time } from '../testing/api-gateway.ts'
import type { ApiGateway } from '../testing/api-gateway.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')

async function errorForms(gateway: ApiGateway): Promise<void> {
  const { b } = gateway.namespaces
  const ask = { model: 'up', max_tokens: 5, messages: hello }
  const client = gateway.anthropic()
  const of = (work: Promise<unknown>) => refusedByAnthropic(work).then(({ status, type, code }) => [status, type, code])
  assert.deepEqual(await of(gateway.anthropic('x', 'garbage').messages.create(ask)), [
    401,
    'authentication_error',
    'unauthenticated',
  ])
  assert.deepEqual(await of(client.messages.create({ ...ask, model: `${b}/x` })), [
    403,
    'permission_error',
    'forbidden',
  ])
  assert.deepEqual(await of(client.messages.create({ ...ask, model: 'none' })), [
    404,
    'not_found_error',
    'model_not_found',
  ])
  assert.deepEqual(await of(client.messages.create({ ...ask, system: 'x'.repeat(2 ** 20) })), [
    413,
    'request_too_large',
    'payload_too_large',
  ])
  assert.deepEqual(await of(client.messages.countTokens(ask)), [404, 'not_found_error', 'not_supported'])
  assert.deepEqual(await of(client.messages.batches.retrieve('x')), [404, 'not_found_error', 'not_found'])
  const wrong = await fetch(`${gateway.url}/v1/messages`, { headers: { authorization: 'Bearer x' } })
  assert.equal(((await wrong.json()) as { type: string }).type, 'error')
  const text = await gateway.post('/v1/messages', 'x', { 'content-type': 'text/plain' })
  assert.deepEqual([text.status, ((await text.json()) as { type: string }).type], [415, 'error'])
}

async function brokenAnswers(gateway: ApiGateway): Promise<void> {
  const ask = { model: 'up', max_tokens: 5, messages: hello }
  const client = gateway.anthropic()
  const broken: [object, RegExp][] = [
    [{ json: 7 }, /is not a JSON object/],
    [{ json: { text: 'x' } }, /is not a chat completion/],
  ]
  for (const [script, message] of broken) {
    gateway.answer(script)
    const { status, type, message: shown } = await refusedByAnthropic(client.messages.create(ask))
    assert.deepEqual([status, type], [502, 'api_error'])
    assert.match(shown, message)
    assert.equal((await refused(gateway.openai().responses.create({ model: 'up', input: 'x' }))).status, 502)
  }
  for (const pieces of [
    [doneFrame],
    [delta({ content: 'so ' }), frame({ error: { message: 'overloaded', code: 'busy' } }), doneFrame],
    [delta({ content: 'so ' }), 'data: {\n\n'],
  ]) {
    gateway.answer({ pieces })
    const { status, type } = await refusedByAnthropic(client.messages.stream(ask).finalMessage())
    assert.deepEqual([status, type], [undefined, 'api_error'], pieces.join(''))
    await assert.rejects(
      gateway.openai().responses.stream({ model: 'up', input: 'x' }).finalResponse(),
      OpenAI.APIError,
    )
  }
}

async function disconnects(gateway: ApiGateway): Promise<void> {
  gateway.answer({ pieces: [delta({ content: 'first' })], hang: true })
  const before = gateway.closedUpstreams()
  const paths = { '/v1/messages': { max_tokens: 5, messages: hello }, '/v1/responses': { input: 'x' } }
  for (const [index, [path, body]] of Object.entries(paths).entries()) {
    const sent = request(gateway.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${gateway.kube.tokens['developer']}`,
        'x-mesh-namespace': gateway.namespaces.a ?? '',
      },
    })
    sent.on('error', () => undefined)
    sent.end(JSON.stringify({ model: 'up', stream: true, ...body }))
    const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream]
    await once(response, 'data')
    sent.destroy()
    await gateway.upstreamsClosed(before + index + 1)
  }
  await gateway.metered((rows) => rows.filter(({ data }) => data.status === 499).length === 2)
}

async function hostileBodies(gateway: ApiGateway): Promise<void> {
  const ask = { model: 'mock', max_tokens: 5, messages: hello }
  const odd = { toString: 1, valueOf: 1 }
  const user = (content: unknown) => ({ ...ask, messages: [{ role: 'user', content }] })
  const messages: [unknown, RegExp][] = [
    [[], /JSON object/],
    [{ ...ask, messages: odd }, /^messages:/],
    [{ ...ask, messages: Array(5_000).fill(null) }, /^messages\[0\]:/],
    [{ ...ask, messages: [{ role: odd, content: 'x' }] }, /^messages\[0\]\.role:/],
    [user(odd), /^messages\[0\]\.content:/],
    [user([{ type: odd }]), /^messages\[0\]\.content: a block is not supported/],
    [user([{ type: 'x'.repeat(100_000) }]), /^messages\[0\]\.content:/],
    [user([{ type: 'image', source: { type: 'url', url: odd } }]), /source/],
    [user('a\0b'), /U\+0000/],
    [user('\ud800'), /^messages\[0\]\.content/],
    [{ ...ask, max_tokens: '5' }, /^max_tokens:/],
    [{ ...ask, stream: 'yes' }, /^stream/],
    [{ ...ask, tools: odd }, /^tools:/],
    [{ ...ask, tools: [odd] }, /^tools\[0\]:/],
    [{ ...ask, tools: [time], tool_choice: { type: odd } }, /^tool_choice\.type:/],
    [{ ...ask, system: [{ type: 'text', text: 1 }] }, /^system:/],
    [{ ...ask, model: odd }, /^model/],
  ]
  for (const [body, message] of messages) {
    const answer = await gateway.post('/v1/messages', JSON.stringify(body))
    const { type, error } = (await answer.json()) as { type: string; error: { type: string; message: string } }
    assert.deepEqual([answer.status, type, error.type], [400, 'error', 'invalid_request_error'], String(message))
    assert.match(error.message, message)
    assert.ok(error.message.length < 1_000)
  }
  const input = (item: unknown) => ({ model: 'mock', input: [item] })
  const responses: [unknown, string | null][] = [
    ['x', null],
    [{ model: 'mock', input: odd }, 'input'],
    [input(odd), 'input[0].role'],
    [input({ type: odd }), 'input[0].type'],
    [input({ role: 'user', content: [{ type: odd, text: 'x' }] }), 'input[0].content'],
    [input({ type: 'function_call', call_id: odd, name: 'x', arguments: '{}' }), 'input[0]'],
    [input({ type: 'function_call_output', call_id: 'x', output: odd }), 'input[0].output'],
    [{ model: 'mock', input: 'x', conversation: odd }, 'conversation'],
    [{ model: 'mock', input: 'x', tools: odd }, 'tools'],
    [{ model: 'mock', input: 'x', tools: [odd] }, 'tools[0].type'],
    [{ model: 'mock', input: 'x', text: { format: { type: odd } } }, 'text.format.type'],
  ]
  for (const [body, param] of responses) {
    const answer = await gateway.post('/v1/responses', JSON.stringify(body))
    const { error } = (await answer.json()) as { error: { type: string; param: string | null } }
    assert.deepEqual([answer.status, error.type, error.param], [400, 'invalid_request_error', param])
  }
}

test('errors have the form of the caller’s API', servers, async (t) => {
  const gateway = await startApis(t)
  await t.test('errors of the listener and of callers', () => errorForms(gateway))
  await t.test('broken answers of providers', () => brokenAnswers(gateway))
  await t.test('B3: a caller that leaves ends the call of the provider', () => disconnects(gateway))
  await t.test('F1, F5: a hostile body is a 400 that names its field', () => hostileBodies(gateway))
})
