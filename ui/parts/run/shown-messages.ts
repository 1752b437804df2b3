import type { MessageRole } from '../content/message-role.ts'
import type { RunContent, RunNode } from './run-node.ts'

/** A message of a run, or a call that the agent made between its messages. */
export type ShownMessage =
  | {
      readonly kind: 'words'
      readonly id: string
      readonly role: MessageRole
      readonly words: string
      readonly isStreaming?: boolean
    }
  | { readonly kind: 'call'; readonly id: string; readonly node: RunNode }

const roles: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool', 'reasoning'])

/** A value as the words of a message. */
export function toWords(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

/**
 * The messages of a run with its calls, in their order. `partial` are texts that are still being written, by the id of their message.
 */
export function messagesOf(
  root: RunNode,
  { input, output }: RunContent,
  partial: ReadonlyMap<string, string> = new Map(),
): readonly ShownMessage[] {
  const shown: ShownMessage[] = []
  if (input != null) shown.push({ kind: 'words', id: 'input', role: 'user', words: toWords(input) })
  const open = root.children.toReversed()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.kind === 'message') shown.push(wordsOf(node, partial))
    else if (node.kind === 'tool' || node.kind === 'delegate') shown.push({ kind: 'call', id: node.spanId, node })
    open.push(...node.children.toReversed())
  }
  const isSaid = shown.some((one) => one.kind === 'words' && one.role === 'assistant' && one.words === output)
  if (output != null && !isSaid) shown.push({ kind: 'words', id: 'output', role: 'assistant', words: toWords(output) })
  return shown
}

function wordsOf({ spanId, attributes, durationMs }: RunNode, partial: ReadonlyMap<string, string>): ShownMessage {
  const { role, text } = attributes
  const isOpen = durationMs === null
  const words = typeof text === 'string' ? text : (partial.get(spanId) ?? '')
  return { kind: 'words', id: spanId, role: toRole(role), words, isStreaming: isOpen }
}

function toRole(role: unknown): MessageRole {
  return typeof role === 'string' && roles.has(role) ? (role as MessageRole) : 'assistant'
}

/** Messages of a model call in the form of OpenTelemetry: a role, and parts of a type. Other values are shown as JSON. */
export function modelMessages(messages: unknown, from: string): readonly ShownMessage[] {
  if (messages == null) return []
  if (!Array.isArray(messages)) return [{ kind: 'words', id: from, role: 'assistant', words: toWords(messages) }]
  return messages.flatMap((message: unknown, at) => {
    const { role, parts, content } = (message ?? {}) as Readonly<Record<string, unknown>>
    const list: readonly unknown[] = Array.isArray(parts) ? parts : [content ?? message]
    return list.map((part, index) => toPart(part, toRole(role), `${from}-${at}-${index}`))
  })
}

function toPart(part: unknown, role: MessageRole, id: string): ShownMessage {
  if (typeof part !== 'object' || part === null) return { kind: 'words', id, role, words: toWords(part) }
  const { type, content } = part as Readonly<Record<string, unknown>>
  const isText = (type === 'text' || type === 'reasoning') && typeof content === 'string'
  return { kind: 'words', id, role: type === 'reasoning' ? 'reasoning' : role, words: toWords(isText ? content : part) }
}
