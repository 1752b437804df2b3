import assert from 'node:assert/strict'
import test from 'node:test'
import { generateConfig, nameFrom } from './generate-config.ts'
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
  assert.deepEqual(made.warnings, ['The model needed 3 tries for a valid config.'])
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
  assert.match(made.warnings.join(), /mock was put in its place/)
  const refined = await generateConfig(
    { request: 'x', base: { name: 'kept' }, routes: ['mock'] },
    context(scripted([good])),
  )
  assert.equal(refined.config['name'], 'kept')
  assert.match(refined.warnings.join(), /the name; it was kept/)
  assert.equal(nameFrom('!!!'), 'agent')
})
