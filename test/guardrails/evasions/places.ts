/** An API of the port, by its path. */
export type Path = '/v1/chat/completions' | '/v1/responses' | '/v1/messages' | '/v1/embeddings'

/** A request with a text in one place. */
export interface Place {
  readonly name: string
  readonly path: Path
  readonly body: (text: string) => object
}

const user = (content: unknown) => ({ role: 'user', content })
const chat = (
  name: string,
  messages: (text: string) => readonly object[],
  more: (text: string) => object = () => ({}),
): Place => ({
  name: `chat: ${name}`,
  path: '/v1/chat/completions',
  body: (text) => ({ model: 'mock', messages: messages(text), ...more(text) }),
})
const responses = (name: string, fields: (text: string) => object): Place => ({
  name: `responses: ${name}`,
  path: '/v1/responses',
  body: (text) => ({ model: 'mock', ...fields(text) }),
})
const messages = (name: string, fields: (text: string) => object): Place => ({
  name: `messages: ${name}`,
  path: '/v1/messages',
  body: (text) => ({ model: 'mock', max_tokens: 5, messages: [user('x')], ...fields(text) }),
})
const call = (text: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: text } }],
})
const half = (text: string): readonly [string, string] => {
  const characters = Array.from(text)
  const at = characters.length >> 1
  return [characters.slice(0, at).join(''), characters.slice(at).join('')]
}
const parts = (text: string) => half(text).map((one) => ({ type: 'text', text: one }))
const document = (source: object) => ({ messages: [user([{ type: 'document', source }])] })
const tool = (description: string) => ({ type: 'function', function: { name: 'f', description } })

/** Places of the four APIs. */
export const places: readonly Place[] = [
  chat('message', (text) => [user(text)]),
  chat('parts', (text) => [user(parts(text))]),
  chat('two messages', (text) => half(text).map(user)),
  chat('system', (text) => [{ role: 'system', content: text }, user('x')]),
  chat('result of a tool', (text) => [user('x'), call('{}'), { role: 'tool', tool_call_id: 'c', content: text }]),
  chat('arguments', (text) => [call(JSON.stringify({ n: 1, text }))]),
  chat('JSON in arguments', (text) => [
    call(JSON.stringify({ run: JSON.stringify({ deep: [JSON.stringify({ text })] }) })),
  ]),
  chat(
    'description of a tool',
    () => [user('x')],
    (text) => ({ tools: [tool(text)] }),
  ),
  chat(
    'metadata',
    () => [user('x')],
    (text) => ({ metadata: { note: text } }),
  ),
  chat('document', (text) => [
    user([{ type: 'file', file: { file_data: `data:text/plain;base64,${Buffer.from(text).toString('base64')}` } }]),
  ]),
  responses('input', (text) => ({ input: text })),
  responses('instructions', (text) => ({ input: 'x', instructions: text })),
  responses('message', (text) => ({ input: [user([{ type: 'input_text', text }])] })),
  responses('call', (text) => ({
    input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: JSON.stringify({ text }) }],
  })),
  responses('result', (text) => ({
    input: [
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: text },
    ],
  })),
  messages('text', (text) => ({ messages: [user(parts(text))] })),
  messages('system', (text) => ({ system: text })),
  messages('use of a tool', (text) => ({
    messages: [user('x'), { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { text } }] }],
  })),
  messages('result', (text) => ({ messages: [user([{ type: 'tool_result', tool_use_id: 't', content: text }])] })),
  messages('document', (text) => document({ type: 'text', media_type: 'text/plain', data: text })),
  messages('encoded document', (text) =>
    document({ type: 'base64', media_type: 'text/plain', data: Buffer.from(text).toString('base64') }),
  ),
  { name: 'embeddings: input', path: '/v1/embeddings', body: (text) => ({ model: 'mock', input: text }) },
  { name: 'embeddings: list', path: '/v1/embeddings', body: (text) => ({ model: 'mock', input: ['x', text] }) },
]
