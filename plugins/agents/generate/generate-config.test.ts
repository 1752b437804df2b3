import assert from 'node:assert/strict'
import test from 'node:test'
import { nameFrom, readConfigMessage, toConfigMessage } from '#schemas/agent-file/config-request.ts'
import { mockResponse } from '#plugins/providers/mock/mock-response.ts'
import { responseSchema, generateConfig } from './generate-config.ts'
import type { ChatMessage, ModelGateway } from './model-gateway.ts'

function scripted(answers: readonly unknown[]): ModelGateway & { requests: (readonly ChatMessage[])[] } {
  const requests: (readonly ChatMessage[])[] = []
  return {
    requests,
    ask: async (_bearer, { messages }) => {
      requests.push([...messages])
      const answer = answers[requests.length - 1]
      return typeof answer === 'string' ? answer : JSON.stringify(answer)
    },
  }
}

const context = (gateway: ModelGateway) => ({
  gateway,
  bearer: 'b',
  route: 'default/mock',
  signal: new AbortController().signal,
})
const good = { config: { name: 'bot', model: { route: 'mock' }, systemPrompt: 'Hi.' }, explanation: 'A bot.' }

test('a valid answer is returned unchanged, also from a code fence', async () => {
  for (const answer of [good, `\`\`\`json\n${JSON.stringify(good)}\n\`\`\``]) {
    const made = await generateConfig({ request: 'a bot', routes: ['mock'] }, context(scripted([answer])))
    assert.deepEqual(made, { ...good, warnings: [] })
  }
})

test('an invalid answer is returned to the model with its problems', async () => {
  const gateway = scripted([{ ...good, config: { ...good.config, tols: [] } }, 'not json', good])
  const made = await generateConfig({ request: 'a bot', routes: ['mock'] }, context(gateway))
  assert.deepEqual(made.warnings, ['The model needed 3 attempts for a valid config.'])
  assert.match(gateway.requests[1]?.at(-1)?.content ?? '', /\/tols: unknown field "tols"; did you mean tools\?/)
  assert.match(gateway.requests[2]?.at(-1)?.content ?? '', /not JSON/)
})

test('the third invalid answer is generation_failed with its problems', async () => {
  const bad = { ...good, config: { ...good.config, limits: { maxSteps: 0 } } }
  const gateway = scripted([bad, bad, bad, good])
  await assert.rejects(generateConfig({ request: 'a bot', routes: ['mock'] }, context(gateway)), {
    code: 'generation_failed',
    errors: [{ pointer: '/config', detail: '/limits/maxSteps: must be at least 1' }],
  })
  assert.equal(gateway.requests.length, 3)
})

test('unknown routes and invalid names are replaced, and a refined config keeps its name', async () => {
  const answer = { ...good, config: { ...good.config, name: 'X!', model: { route: 'gpt' } } }
  const made = await generateConfig(
    { request: '3 Bots for my Mail!', routes: ['mock'], namespace: 'demo' },
    context(scripted([answer])),
  )
  assert.equal(made.config['name'], 'bots-for-my')
  assert.equal(made.config['namespace'], 'demo')
  assert.deepEqual(made.config['model'], { route: 'mock' })
  assert.match(made.warnings.join(), /mock is used instead/)
  const refined = await generateConfig(
    { request: 'x', base: { name: 'kept' }, routes: ['mock'] },
    context(scripted([good])),
  )
  assert.equal(refined.config['name'], 'kept')
  assert.match(refined.warnings.join(), /the name\. The original name was kept/)
  assert.equal(nameFrom('!!!'), 'agent')
})

// The gateway with the mock provider behind it.
const mock: ModelGateway = {
  ask: async (_bearer, { messages, schema }) =>
    mockResponse({ messages, response_format: { type: 'json_schema', json_schema: schema } }).text,
}

test('R2-M8: the mock makes a config of the prompt, and other schemas get what they got', async () => {
  const request = 'Summarise my mails!\nShortly.'
  const made = await generateConfig({ request, routes: ['mock', 'other'] }, context(mock))
  assert.deepEqual(made.config, { name: 'summarise-my-mails-shortly', model: { route: 'mock' }, systemPrompt: request })
  assert.deepEqual([made.warnings, made.changes], [[], undefined])
  const { schema } = responseSchema({ routes: ['mock'] })
  const messages = [{ role: 'user', content: toConfigMessage({ request }) }]
  const asked = (name: string, content = messages) =>
    mockResponse({ messages: content, response_format: { type: 'json_schema', json_schema: { name, schema } } }).text
  assert.match(asked('agent'), /"systemPrompt":"a"/, 'a schema of another name is not that of generate')
  assert.match(asked('mesh_agent_config', []), /"systemPrompt":"a"/)
  assert.equal(mockResponse({ messages }).text, 'MOCK_OK')
})

test('R2-M8, R2-UX-19: refine keeps what the response leaves out, and lists every change', async () => {
  const base = {
    name: 'bot',
    labels: { team: 'a', tier: '1' },
    model: { route: 'elsewhere', params: { temperature: 0 } },
    systemPrompt: 'Hi.',
    limits: { maxSteps: 3 },
  }
  const refined = await generateConfig({ request: 'Be short.', base, routes: ['mock'] }, context(mock))
  assert.deepEqual(refined.config, { ...base, systemPrompt: 'Hi.\n\nBe short.' })
  assert.deepEqual(refined.changes, [{ op: 'replace', path: '/systemPrompt', value: 'Hi.\n\nBe short.' }])
  assert.deepEqual(refined.warnings, [])
  const config = { labels: { team: 'b', tier: null }, model: { route: 'mock' }, limits: null }
  const changed = await generateConfig(
    { request: 'x', base, routes: ['mock'] },
    context(scripted([{ config, explanation: 'Done.' }])),
  )
  assert.deepEqual(changed.config, {
    name: 'bot',
    labels: { team: 'b' },
    model: { route: 'mock', params: { temperature: 0 } },
    systemPrompt: 'Hi.',
  })
  assert.deepEqual(
    changed.changes?.map(({ op, path }) => `${op} ${path}`),
    ['replace /labels/team', 'remove /labels/tier', 'remove /limits', 'replace /model/route'],
  )
  assert.match(changed.warnings.join(), /changed the route from elsewhere to mock/)
  const hidden = { config: { model: { route: 'secret' } }, explanation: 'Done.' }
  const kept = await generateConfig({ request: 'x', base, routes: ['mock'] }, context(scripted([hidden])))
  assert.deepEqual([kept.config, kept.changes], [base, []])
  assert.match(kept.warnings.join(), /elsewhere is used instead/)
})

test('R2-M8: a request is read as it was written', () => {
  const base = { name: 'bot', systemPrompt: 'One.\nTwo.\u2028' }
  for (const request of ['', 'a', 'Change this agent:\n{}\nx', '\ud800 \u0000', 'as requested\n\n'])
    for (const asked of [{ request }, { request, base }])
      assert.deepEqual(readConfigMessage(toConfigMessage(asked)), asked)
  for (const other of ['', 'Hi.', 'Change this agent:', 'Change this agent:\n[]\nas requested'])
    assert.equal(readConfigMessage(other), undefined)
})
