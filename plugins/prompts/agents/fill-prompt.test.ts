import assert from 'node:assert/strict'
import test from 'node:test'
import type { PromptContent } from '#schemas/api/prompts.ts'
import { toVersionFields } from '../content/check-content.ts'
import { fillPrompt } from './fill-prompt.ts'

const fill = (content: PromptContent, values: Record<string, string> = {}) =>
  fillPrompt(toVersionFields(content, null), values)

test('a variable is replaced once, and a value that looks like one is text', () => {
  const text = '{{a}} {{b}} {{ a }} {{a.b}} {a} {{{a}}} $& {{a}}'
  assert.deepEqual(fill({ text }, { a: '{{b}}$&', b: '{{a}}' }), {
    systemPrompt: '{{b}}$& {{a}} {{ a }} {{a.b}} {a} {{{b}}$&} $& {{b}}$&',
    messages: [],
  })
  const ofItself = 'x {{self}} y'
  assert.equal('systemPrompt' in fill({ text: ofItself }, { self: ofItself }), true)
})

test('names of the language are names as any other', () => {
  const text = '{{__proto__}} {{constructor}} {{toString}}'
  const missing = fill({ text })
  assert.ok('reason' in missing)
  assert.match(missing.message, /\{\{__proto__\}\}, \{\{constructor\}\}, \{\{toString\}\}/)
  const values = JSON.parse('{"__proto__":"1","constructor":"2","toString":"3"}') as Record<string, string>
  assert.deepEqual(fill({ text }, values), { systemPrompt: '1 2 3', messages: [] })
})

test('a missing variable is named, and a default of the schema is used', () => {
  const variables = { properties: { name: { type: 'string', default: 'you' }, count: { type: 'integer', maximum: 3 } } }
  const content = { text: 'Greet {{name}} {{count}} times.', variables }
  assert.deepEqual(fill(content, {}), {
    reason: 'PromptVariableMissing',
    message: 'it needs a value for {{count}}: set spec.prompt.variables, or give it a default',
  })
  assert.deepEqual(fill(content, { count: '2' }), { systemPrompt: 'Greet you 2 times.', messages: [] })
  for (const count of ['4', 'two', '', '1e999', '1.5']) {
    const refused = fill(content, { count })
    assert.equal('reason' in refused && refused.reason, 'PromptVariableInvalid', count)
    assert.match('message' in refused ? refused.message : '', /the value of \{\{count\}\}/)
  }
  const many = Array.from({ length: 9 }, (_, n) => `{{v${n}}}`).join('')
  assert.match(JSON.stringify(fill({ text: many })), /\{\{v4\}\} and 4 more/)
  assert.equal('reason' in fill({ text: '{{a}}'.repeat(64) }, { a: 'x'.repeat(8_192) }), true)
})

test('messages of the system that come first are the system prompt', () => {
  const messages = [
    { role: 'system', content: 'Be {{how}}.' },
    { role: 'system', content: 'Greet.' },
    { role: 'user', content: '{{how}}' },
    { role: 'assistant', content: 'Hi.' },
  ] as const
  assert.deepEqual(fill({ messages: [...messages] }, { how: 'brief' }), {
    systemPrompt: 'Be brief.\n\nGreet.',
    messages: [
      { role: 'user', content: 'brief' },
      { role: 'assistant', content: 'Hi.' },
    ],
  })
})
