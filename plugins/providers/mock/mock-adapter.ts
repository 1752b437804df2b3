import { createHash } from 'node:crypto'
import type { ResponseSink, ModelAdapter, ProviderCall } from '../contract/adapter.ts'
import { completion, deltaFrame, doneFrame, usageFrame, wireUsage } from '../openai/completion.ts'
import type { CompletionHead, WireUsage } from '../openai/completion.ts'
import { mockResponse } from './mock-response.ts'
import type { MockResponse } from './mock-response.ts'

/** The deterministic provider: no key, no network, the same answer for the same request. */
export const mockAdapter: ModelAdapter = {
  type: 'mock',
  listModels: async () => [{ id: 'mock', ownedBy: 'mesh' }],
  async send(call, sink) {
    if (call.operation === 'embeddings') return json(sink, embeddings(call))
    const answer = mockResponse(call.body, call.provider.mock?.script)
    const head = headOf(call)
    const usage = wireUsage(tokensIn(JSON.stringify(call.body.messages ?? '')), tokensIn(contentOf(answer)))
    if (call.body.stream === true) return stream(sink, { head, answer, usage })
    json(sink, completion(head, messageOf(answer), reasonOf(answer), usage))
  },
}

function json(sink: ResponseSink, body: object): void {
  sink.head(200, 'application/json', undefined)
  // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
  void sink.data(Buffer.from(`${JSON.stringify(body)}\n`))
}

async function stream(
  sink: ResponseSink,
  parts: { head: CompletionHead; answer: MockResponse; usage: WireUsage },
): Promise<void> {
  const { head, answer, usage } = parts
  sink.head(200, 'text/event-stream', undefined)
  await sink.data(deltaFrame(head, { role: 'assistant', content: answer.toolCalls.length > 0 ? null : '' }))
  // Word by word, so that streaming is visible.
  for (const content of answer.text.split(/(?<=\S)(?=\s)/).filter((word) => word !== ''))
    await sink.data(deltaFrame(head, { content }))
  for (const [index, call] of toolCallsOf(answer).entries())
    await sink.data(deltaFrame(head, { tool_calls: [{ index, ...call }] }))
  await sink.data(deltaFrame(head, {}, reasonOf(answer)))
  await sink.data(usageFrame(head, usage))
  await sink.data(doneFrame)
}

function messageOf(answer: MockResponse): object {
  if (answer.toolCalls.length === 0) return { content: answer.text }
  return { content: null, tool_calls: toolCallsOf(answer) }
}

function toolCallsOf(answer: MockResponse) {
  return answer.toolCalls.map((call, index) => ({
    id: `call_mock_${index + 1}`,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }))
}

function reasonOf(answer: MockResponse): string {
  return answer.toolCalls.length > 0 ? 'tool_calls' : 'stop'
}

function contentOf(answer: MockResponse): string {
  return answer.text + JSON.stringify(answer.toolCalls)
}

function headOf({ body }: ProviderCall): CompletionHead {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  return { id: `chatcmpl-mock-${digest.slice(0, 24)}`, created: 0, model: String(body.model) }
}

// Four characters per token, an estimate that is sufficient for a mock.
function tokensIn(text: string): number {
  return Math.ceil(text.length / 4)
}

const defaultDimensions = 64

function embeddings({ body }: ProviderCall): object {
  const inputs = Array.isArray(body.input) ? body.input : [body.input]
  const dimensions = typeof body.dimensions === 'number' ? Math.min(body.dimensions, 4096) : defaultDimensions
  const data = inputs.map((input, index) => {
    const vector = vectorOf(typeof input === 'string' ? input : JSON.stringify(input), dimensions)
    const embedding = body.encoding_format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector]
    return { object: 'embedding', index, embedding }
  })
  return { object: 'list', data, model: body.model, usage: wireUsage(tokensIn(JSON.stringify(inputs)), 0) }
}

// Hashed words: texts with common words are near each other, so that a search over mock embeddings has results.
function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const digest = createHash('sha256').update(word).digest()
    const at = digest.readUInt32LE(0) % dimensions
    vector[at] = (vector[at] ?? 0) + ((digest[4] ?? 0) % 2 === 0 ? 1 : -1)
  }
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}
