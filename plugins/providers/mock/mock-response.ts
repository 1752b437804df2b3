import { isObject } from '#core/json/is-object.ts'
import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import { mockConfig } from './mock-config.ts'
import { smallestInstance } from './smallest-instance.ts'

/** Response of the mock: text, or calls of tools in the request. */
export interface MockResponse {
  readonly text: string
  readonly toolCalls: readonly { readonly name: string; readonly arguments: unknown }[]
}

type Body = Readonly<Record<string, unknown>>
type Script = NonNullable<ModelProviderSpec['mock']>['script']

const plain = 'MOCK_OK'

/**
 * Computes the response from the request only. With `response_format` it is the smallest valid instance, or, for generate and refine, a config
 * derived from the request. Otherwise the first step of the script applies whose `contains` is in the last user message and whose `systemContains` is
 * in the system prompt. Its tool calls are returned once per user message, if the request has those tools, then its reply. All other requests are
 * answered with `MOCK_OK`.
 */
export function mockResponse(body: Body, script: Script = []): MockResponse {
  const messages = list(body.messages).filter(isObject)
  const structured = structuredText(body.response_format, messages)
  if (structured !== undefined) return { text: structured, toolCalls: [] }
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  const prompt = textOf(messages[lastUser]?.content)
  const step = stepOf(script, prompt, messages)
  if (step === undefined) return { text: plain, toolCalls: [] }
  const answered = messages.slice(lastUser + 1).some(({ role }) => role === 'tool')
  const offered = new Set(list(body.tools).map(toolName))
  const calls =
    answered || body.tool_choice === 'none' ? [] : (step.toolCalls ?? []).filter(({ name }) => offered.has(name))
  if (calls.length === 0) return { text: step.reply ?? plain, toolCalls: [] }
  return { text: '', toolCalls: calls.map((call) => ({ name: call.name, arguments: call.arguments ?? {} })) }
}

function stepOf(script: Script, prompt: string, messages: readonly Body[]) {
  const system = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => textOf(content))
    .join('\n')
  return script.find(
    ({ contains = '', systemContains = '' }) => prompt.includes(contains) && system.includes(systemContains),
  )
}

function structuredText(format: unknown, messages: readonly Body[]): string | undefined {
  if (!isObject(format)) return undefined
  if (format.type === 'json_object') return '{}'
  if (format.type !== 'json_schema' || !isObject(format.json_schema)) return undefined
  const asked = textOf(messages.find(({ role }) => role === 'user')?.content)
  return JSON.stringify(mockConfig(format.json_schema, asked) ?? smallestInstance(format.json_schema.schema))
}

/** Text of a message's content: a string, or the texts of its parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : ''))
    .join('')
}

function toolName(tool: unknown): unknown {
  return isObject(tool) && isObject(tool.function) ? tool.function.name : undefined
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
