import assert from 'node:assert/strict'
import test from 'node:test'
import { writeLike } from '#core/json/write-like.ts'
import type { GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import { compileGuard } from './compile-guard.ts'
import { guardBody, guardToolCall } from './guard-body.ts'
import { UnreadableBody } from './body/unreadable-body.ts'

const word = 'MAGENTA-7'
const rule = (action: GuardrailRule['action'], check: Partial<GuardrailRule> = {}): GuardrailRule => ({
  name: 'r',
  action,
  ...(Object.keys(check).length > 0 ? check : { regex: { patterns: ['MAGENTA-[0-9]'] } }),
})
const guardOf = (...rules: GuardrailRule[]) => compileGuard([{ namespace: 'a', name: 'p', rules }])
const masking = guardOf(rule('mask'))
const say = (content: unknown, more: object = {}) => ({ model: 'm', messages: [{ role: 'user', content }], ...more })
const call = (json: string) => ({ id: 'c', type: 'function', function: { name: 'f', arguments: json } })
const called = (json: string) => ({
  model: 'm',
  messages: [{ role: 'assistant', content: null, tool_calls: [call(json)] }],
})

/** The document as it is sent. */
async function sent(document: string, guard = masking): Promise<string> {
  const outcome = await guardBody(guard, JSON.parse(document) as Record<string, unknown>)
  return outcome.decision === 'pass' ? writeLike(document, outcome.body) : outcome.decision
}

const sentOf = (body: object, guard = masking): Promise<string> => sent(JSON.stringify(body), guard)

test('R2-N1, R2-N7: a rule sees every string of a body, in fields of any name, names included', async () => {
  const tool = {
    type: 'function',
    function: { name: 'f', description: word, parameters: { properties: { [word]: {} } } },
  }
  const bodies: readonly object[] = [
    say('x', { tools: [tool] }),
    say('x', { response_format: { type: 'json_schema', json_schema: { schema: { enum: [word] } } } }),
    say('x', { prediction: { type: 'content', content: word } }),
    say('x', { metadata: { [word]: 'a' } }),
    say('x', { metadata: { a: { b: [{ c: word }] } } }),
    say('x', { stop: [word], user: word }),
    say('x', { tool_choice: { type: 'function', function: { name: word } } }),
    say('x', { tool_choice: word }),
    say('x', { [word]: 1 }),
    say('x', { url: word, data: word, id: word, format: word, type: word, detail: word }),
    say([{ type: 'image_url', image_url: { url: `https://x.test/?q=${word}` } }]),
    say([{ type: 'input_audio', input_audio: { data: word, format: word } }]),
    say([{ type: 'file', file: { file_data: word, filename: word, file_id: word } }]),
    say([{ type: word, text: 'x' }]),
    say([{ type: 'document', title: word, source: { type: 'text', media_type: 'text/plain', data: word } }]),
    say([{ type: 'thinking', thinking: 'x', signature: word }]),
    say('x', { system: [{ type: 'text', text: word }] }),
    say('x', { mcp_servers: [{ url: word, authorization_token: word }] }),
    { model: 'm', messages: [{ role: word, content: 'x', name: word }] },
    { model: 'm', messages: [{ role: 'tool', tool_call_id: word, content: 'x' }] },
    { model: 'm', input: word, user: 'x' },
    { model: 'm', input: ['x', word], dimensions: 3 },
    { model: 'm', input: [{ type: 'text', text: word }] },
  ]
  for (const body of bodies) {
    const masked = await sentOf(body)
    assert.equal(masked.includes(word), false, masked)
    assert.equal(await sentOf(body, guardOf(rule('block'))), 'block', JSON.stringify(body))
  }
})

test('R2-N1: numbers are read below the first level, those of the call are not', async () => {
  const guard = guardOf(rule('mask', { pii: { kinds: ['credit_card'] } }))
  const number = 4111111111111111
  assert.equal((await sentOf(called(`{"card":${number}}`), guard)).includes('4111'), false)
  assert.equal((await sentOf(say('x', { metadata: { card: number } }), guard)).includes('4111'), false)
  const seeded = JSON.stringify(say('x', { seed: number }))
  assert.equal(await sent(seeded, guard), seeded)
})

test('R2-N1, R2-N7: exempt are exact paths with their own form only, and encoded documents of text are read', async () => {
  const media = Buffer.alloc(96, 7).toString('base64')
  const guard = guardOf(rule('mask', { regex: { patterns: ['[A-Za-z0-9+/]{40}', 'user|auto'] } }))
  const plain = say(
    [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${media}`, detail: 'auto' } },
      { type: 'input_audio', input_audio: { data: media, format: 'wav' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: media } },
      { type: 'thinking', thinking: 'x', signature: media },
    ],
    { tool_choice: 'auto' },
  )
  const document = JSON.stringify(plain)
  assert.equal(await sent(document, guard), document)
  assert.equal((await sentOf(say('x', { metadata: { data: media } }), guard)).includes(media), false)
  const encoded = Buffer.from(`it is ${word}.`).toString('base64')
  for (const part of [
    { type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${encoded}` } },
    { type: 'document', source: { type: 'base64', media_type: 'text/plain', data: encoded } },
  ]) {
    const masked = await sentOf(say([part]))
    assert.equal(masked.includes(encoded), false)
    assert.ok(masked.includes(Buffer.from('it is [masked].').toString('base64')))
  }
})

test('R2-N1: words of the API are no text of a caller, but its own words are', async () => {
  const guard = guardOf(
    rule('block', { words: { phrases: ['function', 'messages', 'description', 'text', 'object'] } }),
  )
  const tool = { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } }
  assert.notEqual(await sentOf(say([{ type: 'text', text: 'hello' }], { tools: [tool] }), guard), 'block')
  assert.equal(await sentOf(say('a function'), guard), 'block')
  assert.equal(await sentOf(called('{"description":1}'), guard), 'block')
})

test('R2-N2: arguments of tool calls are judged by their strings, and a mask keeps their JSON valid', async () => {
  const escaped = [...word].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  const masked = await sentOf(called(`{ "a":1.0, "${escaped}": "say \\"${escaped}\\"" }`))
  const [message] = (JSON.parse(masked) as ReturnType<typeof called>).messages
  assert.equal(message?.tool_calls[0]?.function.arguments, '{"a":1.0,"[masked]":"say \\"[masked]\\""}')
  const quoting = guardOf({ ...rule('mask'), mask: '"\\' })
  const [odd] = (
    JSON.parse(await sentOf(called(`{"a": "${word}", "b": 9007199254740993}`), quoting)) as ReturnType<typeof called>
  ).messages
  assert.equal(odd?.tool_calls[0]?.function.arguments, '{"a": "\\"\\\\", "b": 9007199254740993}')
  const phrase = guardOf(rule('block', { words: { phrases: ['project apollo'] } }))
  for (const json of ['{"a":"project\\napollo"}', '{"project":"apollo"}', '{"a":["project","apollo"]}'])
    assert.equal(await sentOf(called(json), phrase), 'block', json)
  assert.equal(
    (
      await sentOf({
        model: 'm',
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'i', name: 'n', input: { [word]: { a: [word] } } }] },
        ],
      })
    ).includes(word),
    false,
  )
})

test('R2-N2: arguments that do not parse are refused, with the field and without content', async () => {
  const deep = `${'['.repeat(200)}${']'.repeat(200)}`
  for (const json of ['{"a":', 'x', `{"a":"${word}"} x`, `{'a':1}`, deep])
    await assert.rejects(sentOf(called(json)), (error) => {
      assert.ok(error instanceof UnreadableBody)
      assert.match(error.message, /^messages\[0\]\.tool_calls\[0\]\.function\.arguments(?:\[0\])*: /)
      return !error.message.includes(word)
    })
  for (const json of ['', ' ', '{}', '"x"', '1']) assert.equal(await sentOf(called(json)), JSON.stringify(called(json)))
  await assert.rejects(guardToolCall(masking, { name: 'f', arguments: '{' }), UnreadableBody)
})

test('R2-N2: a tool call of an answer is read the same way, the input of a custom tool as text', async () => {
  const decided = await guardToolCall(masking, { name: word, arguments: '{"a":"\\u004dAGENTA-7","n":1.0}' })
  assert.deepEqual([decided.name, decided.arguments], ['[masked]', '{"a":"[masked]","n":1.0}'])
  const custom = await guardToolCall(masking, { name: 'f', arguments: `{ ${word}`, isText: true })
  assert.equal(custom.arguments, '{ [masked]')
  const same = '{ "a" : "x" , "b":1e3}'
  assert.equal((await guardToolCall(masking, { name: 'f', arguments: same })).arguments, same)
})

test('R2-N6: text split over parts or messages of one role is one text, and each part keeps its own words', async () => {
  const [head, tail] = [word.slice(0, 4), word.slice(4)]
  const split: readonly object[] = [
    say([
      { type: 'text', text: `a ${head}` },
      { type: 'text', text: `${tail} b` },
    ]),
    say([
      { type: 'text', text: head },
      { type: 'image_url', image_url: { url: 'https://x.test' } },
      { type: 'text', text: tail },
    ]),
    say([...word].map((text) => ({ type: 'text', text }))),
    {
      model: 'm',
      messages: [
        { role: 'user', content: head, name: 'n' },
        { role: 'user', content: tail },
      ],
    },
    {
      model: 'm',
      messages: [
        { role: 'tool', tool_call_id: '1', content: head },
        { role: 'tool', tool_call_id: '2', content: tail },
      ],
    },
    say([
      {
        type: 'tool_result',
        tool_use_id: 'i',
        content: [
          { type: 'text', text: head },
          { type: 'text', text: tail },
        ],
      },
    ]),
    say('x', {
      system: [
        { type: 'text', text: head },
        { type: 'text', text: tail },
      ],
    }),
  ]
  for (const body of split) {
    assert.equal(await sentOf(body, guardOf(rule('block'))), 'block', JSON.stringify(body))
    const masked = await sentOf(body)
    assert.equal(masked.split('[masked]').length, 2, masked)
    assert.equal(masked.includes(head) || masked.includes(tail), false, masked)
  }
  const words = guardOf(rule('block', { words: { phrases: ['project apollo'] } }))
  assert.equal(
    await sentOf(
      say([
        { type: 'text', text: 'project' },
        { type: 'text', text: 'apollo' },
      ]),
      words,
    ),
    'block',
  )
  assert.equal(
    await sentOf(
      say([
        { type: 'text', text: 'x' },
        { type: 'text', text: 'project apollo' },
        { type: 'text', text: 'y' },
      ]),
      words,
    ),
    'block',
  )
  const turns = {
    model: 'm',
    messages: [
      { role: 'user', content: head },
      { role: 'assistant', content: tail },
    ],
  }
  assert.equal(await sentOf(turns), JSON.stringify(turns))
})

test('R2-N6: masks of overlapping views are one, and a finding of a part is counted once', async () => {
  const outcome = await guardBody(
    masking,
    say([
      { type: 'text', text: word },
      { type: 'text', text: `x ${word}` },
    ]),
  )
  assert.deepEqual(
    outcome.findings.map(({ count }) => count),
    [2],
  )
  assert.equal(
    JSON.stringify(outcome.body),
    JSON.stringify(
      say([
        { type: 'text', text: '[masked]' },
        { type: 'text', text: 'x [masked]' },
      ]),
    ),
  )
})

test('R2-N1: what no rule changes is sent byte for byte, around a mask too', async () => {
  const document = `{ "model":"m" ,"temperature": 1.0,"seed":9007199254740993, "x":"\\u00e9\\/", "messages":[{"content":"say ${word} \\u0041","role":"user"}] }`
  assert.equal(await sent(document), document.replace(`${word} \\u0041`, '[masked] A'))
  const innocent = document.replace(word, 'nothing')
  assert.equal(await sent(innocent), innocent)
})

test('R2-N1: names that are given twice are sent once, as they were read', async () => {
  const document = `{"model":"m","messages":[{"role":"user","content":"${word}","content":"fine"}]}`
  assert.equal(await sent(document), '{"model":"m","messages":[{"role":"user","content":"fine"}]}')
  const masked = await guardToolCall(masking, { name: 'f', arguments: `{"a":"${word}","a":"x"}` })
  assert.equal(masked.arguments, '{"a":"x"}')
})

test('R2-N1: embeddings of tokens are refused, wherever they are', async () => {
  for (const input of [[1, 2], [[1, 2]], ['x', [1]], 7, []])
    await assert.rejects(guardBody(masking, { model: 'm', input }), { field: 'input' })
})

test('R2-N2: JSON in a string of arguments is read as JSON, and keeps its form', async () => {
  const cards = guardOf(rule('mask', { pii: { kinds: ['credit_card'] } }))
  const nested = (inner: string) => JSON.stringify({ run: JSON.stringify({ deep: inner, n: 1 }) })
  const argumentsOf = async (json: string) => {
    const body = JSON.parse(await sentOf(called(json), cards)) as ReturnType<typeof called>
    return body.messages[0]?.tool_calls[0]?.function.arguments ?? ''
  }
  assert.equal(
    await argumentsOf(nested('{ "card": 4111111111111111, "id": 9007199254740993 }')),
    nested('{ "card": "[masked]", "id": 9007199254740993 }'),
  )
  const same = nested('{"a":1.0,"card":4111111111111112}')
  assert.equal(await argumentsOf(same), same)
  // The first value of a name is not read, so it is not sent.
  assert.equal(await argumentsOf('{"run":"{\\"a\\":\\"4111111111111111\\",\\"a\\":1}"}'), '{"run":"{\\"a\\":1}"}')
  const list = '['.repeat(60) + ']'.repeat(60)
  assert.equal(await argumentsOf(nested(list)), nested(list))
})

test('R2-N6: a key that is split over messages of several roles is one, a phrase is not', async () => {
  const keys = guardOf(rule('mask', { secrets: {} }), {
    ...rule('mask', { words: { phrases: ['project apollo'] } }),
    name: 'w',
  })
  const turns = (...contents: string[]) => ({
    model: 'm',
    messages: contents.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
  })
  const masked = turns('my key: sk-ant-api03-', 'yes?', 'a1B2c3D4e5F6g7H8')
  assert.equal(await sentOf(masked, keys), JSON.stringify(turns('my key: [masked]', 'yes?', '')))
  const all = turns('sk-ant-', 'api03-a1B2c3D4', 'e5F6g7H8i9J0 ok')
  assert.equal(await sentOf(all, keys), JSON.stringify(turns('[masked]', '', ' ok')))
  const innocent = turns('a project', 'apollo is a god', 'sk-')
  assert.equal(await sentOf(innocent, keys), JSON.stringify(innocent))
})
