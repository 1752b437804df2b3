/** A tool call of a model; `arguments` is a JSON string. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** A message of an OpenAI chat completion request. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly WireToolCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

/** A tool call on the wire. */
export interface WireToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A tool that is offered to the model. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The assistant's message that carries text and tool calls. */
export function assistantMessage(text: string, toolCalls: readonly ToolCall[]): ChatMessage {
  const content = text === '' && toolCalls.length > 0 ? null : text
  if (toolCalls.length === 0) return { role: 'assistant', content }
  const calls = toolCalls.map(({ id, ...named }) => ({ id, type: 'function' as const, function: named }))
  return { role: 'assistant', content, tool_calls: calls }
}

/** Converts a value to the text of a message: strings unchanged, other values as JSON. */
export function toContent(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
