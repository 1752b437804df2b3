import assert from 'node:assert/strict'
import test from 'node:test'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { problemOf } from '#test/contract/plugins/serve-plugin.ts'
import { servePrompts } from './testing/serve-prompts.ts'
import type { ShownPrompt } from './testing/serve-prompts.ts'

const { open, skip } = pluginAdapters.find(({ name }) => name.includes('pglite')) ?? pluginAdapters[0] ?? {}
const many = (count: number) => Array.from({ length: count }, (_, n) => `{{v${n}}}`).join(' ')
const chat = (content: string, count = 1) => ({
  messages: Array.from({ length: count }, () => ({ role: 'user', content })),
})

test('a hostile version is refused with its field, and nothing is written', { skip: skip ?? false }, async (t) => {
  assert.ok(open)
  const { post, ask, count } = await servePrompts(t, open)
  for (const [body, pointer] of [
    [{}, '/text'],
    [{ text: 'x', ...chat('y') }, '/text'],
    [{ text: '' }, '/text'],
    [{ text: 'a\0b' }, '/text'],
    [{ text: 'x'.repeat(131_073) }, '/text'],
    [chat('x'.repeat(70_000), 2), '/messages'],
    [chat('x', 65), '/messages'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, '/messages/0/role'],
    [{ text: many(1_000) }, '/text'],
    [{ text: 'x', type: 'chat' }, '/type'],
    [{ text: '{{naem}}', variables: { properties: { name: {} } } }, '/text'],
    [{ text: '{{constructor}}', variables: { properties: {} } }, '/text'],
    [{ text: '{{__proto__}}', variables: { properties: {} } }, '/text'],
    [{ text: 'x', variables: { type: 'array' } }, '/variables'],
    [{ text: 'x', variables: { properties: [] } }, '/variables'],
    [{ text: 'x', variables: { properties: { a: { description: 'x'.repeat(70_000) } } } }, '/variables'],
    [{ text: 'x', config: { temperature: 9 } }, '/config/temperature'],
    [{ text: 'x', config: { unknown: 1 } }, '/config/unknown'],
    [{ text: 'x', tags: ['a', 'a'] }, '/tags'],
    [{ text: 'x', labels: ['latest'] }, '/labels'],
    [{ text: 'x', contentHash: 'sha256:0' }, '/contentHash'],
    [{ text: 'x', commitMessage: 'x'.repeat(1025) }, '/commitMessage'],
  ] as const) {
    const refused = await post(body)
    assert.deepEqual([refused.statusCode, problemOf(refused).pointer], [400, pointer], refused.body.slice(0, 300))
  }
  const raw = await ask('POST', '', { body: '{"namespace":"a","name":"greet","text":"\\ud800"}' })
  assert.deepEqual([raw.statusCode, problemOf(raw).pointer], [400, '/text'])
  for (const name of ['', 'A', '../b', 'x'.repeat(64), 'a.b', 'a\0'])
    assert.equal((await post({ text: 'x' }, name)).statusCode, 400, name)
  assert.equal(await count('prompts_promptversions'), 0)
})

test('another kind is 422 and named; a file has one document', { skip: skip ?? false }, async (t) => {
  assert.ok(open)
  const { ask, yaml, put, post, count } = await servePrompts(t, open)
  const agent = 'kind: AgentDeployment\nmetadata: {name: greet}\nspec: {}\n'
  for (const answer of [
    await yaml(agent),
    await yaml(`${agent}---\nkind: PromptVersion\nmetadata: {name: greet}\nspec: {text: x}\n`),
    await ask('POST', '', { body: { kind: 'AgentDeployment', metadata: {}, spec: {} } }),
    await ask('POST', '', { body: { kind: 'AgentDeployment' } }),
  ]) {
    assert.deepEqual([answer.statusCode, problemOf(answer).code], [422, 'not_a_prompt'])
    assert.match(answer.body, /AgentDeployment.*POST \/api\/agents/)
  }
  for (const [text, says] of [
    ['', /0 documents/],
    ['kind: PromptVersion\nmetadata: {name: a}\nspec: {text: x}\n---\nname: b\ntext: y\n', /2 documents/],
    ['a: &x 1\nb: *x\n', /line 2/],
    ['text: [\n', /line/],
    ['- text\n', /must be/],
    ['kind: PromptVersion\nmetadata: {name: a, labels: {}}\nspec: {text: x}\n', /labels/],
    ['kind: PromptVersion\nmetadata: {name: a}\nspec: {text: x, y: 1}\n', /spec\/y/],
    ['apiVersion: v1\nkind: PromptVersion\nmetadata: {name: a}\nspec: {text: x}\n', /apiVersion/],
    ['kind: PromptVersion\nmetadata: {name: a}\nspec: {text: "\\0"}\n', /U\+0000/],
  ] as const) {
    const refused = await yaml(text)
    assert.equal(refused.statusCode, 400, text)
    assert.match(refused.body, says)
  }
  assert.equal(await count('prompts_promptversions'), 0)
  await post({ text: 'x' })
  assert.equal((await put({ kind: 'Secret' })).statusCode, 422)
  assert.equal(problemOf(await put({ name: 'other', text: 'y' })).pointer, '/name')
})

test('callers without a bearer or a right change nothing', { skip: skip ?? false }, async (t) => {
  assert.ok(open)
  const { ask, post, denied, count } = await servePrompts(t, open)
  const body = { namespace: 'a', name: 'greet', text: 'x' }
  for (const [method, path] of [
    ['POST', ''],
    ['PUT', '/a/greet'],
    ['DELETE', '/a/greet'],
    ['GET', '/a/greet/diff?from=1'],
  ] as const) {
    const sent = method === 'POST' || method === 'PUT' ? { body } : {}
    assert.equal((await ask(method, path, { ...sent, who: '' })).statusCode, 401, method)
    assert.equal((await ask(method, path, { ...sent, who: 'ben' })).statusCode, 403, method)
  }
  await post({ text: 'x' })
  denied.add('ann update')
  assert.equal((await post({ text: 'y' })).statusCode, 403, 'a further version is a change')
  assert.equal(await count('prompts_promptversions_revisions'), 1)
  denied.clear()
  const filled = await post({ text: '{{__proto__}} {{ spaced }} {{a.b}} {{text}}' })
  assert.equal(filled.statusCode, 201)
  assert.equal(filled.json<ShownPrompt>().version, 2)
})
