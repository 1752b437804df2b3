import fc from 'fast-check'

const inner = [
  'role',
  'content',
  'type',
  'text',
  'source',
  'id',
  'name',
  'input',
  'call_id',
  'arguments',
  'output',
  'format',
]
const kinds = [
  'user',
  'assistant',
  'text',
  'image',
  'tool_use',
  'tool_result',
  'message',
  'function_call',
  'function',
  'url',
]
const names = ['toString', 'valueOf', 'constructor', ...inner]

/** JSON with the words of both APIs in any place. */
export const hostileJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, -1, 1e300, '', '\ud800', ...kinds),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 5 }),
  ),
})).value
