import type { Static } from 'typebox'
import type { TreeNode } from '#schemas/api/run-events.ts'

type SpanNode = Static<typeof TreeNode>

/** A step that the agent made before it asked. */
export interface EarlierStep {
  readonly id: string
  readonly kind: SpanNode['kind']
  readonly name: string
  /** The beginning of what was asked, as one line. */
  readonly preview: string
  readonly durationMs: number | null
  readonly hasFailed: boolean
}

/** What a tree says about a pause. */
export interface PauseStory {
  /** The last steps before it, oldest first. */
  readonly steps: readonly EarlierStep[]
  /** How many steps are before these. */
  readonly earlier: number
  /** What the agent said last; empty if it said nothing. */
  readonly words: string
}

const SHOWN = 6
const PREVIEW = 120
const shownKinds: ReadonlySet<string> = new Set(['model', 'tool', 'delegate', 'guardrail'])

/** Reads the steps before a pause, and the last words of the agent. Without recursion: a run may be as deep as it is long. */
export function toPauseStory(root: SpanNode): PauseStory {
  const nodes = flatten(root)
  // What is under way is the call that waits, which is shown by itself.
  const done = nodes.filter(({ kind, status }) => shownKinds.has(kind) && status !== 'paused' && status !== 'running')
  const steps = done.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt))
  return {
    steps: steps.slice(-SHOWN).map(toStep),
    earlier: Math.max(0, steps.length - SHOWN),
    words: nodes.map(wordsOf).findLast((words) => words !== '') ?? '',
  }
}

function flatten(root: SpanNode): readonly SpanNode[] {
  const found: SpanNode[] = []
  const open: SpanNode[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    found.push(node)
    open.push(...(node.children as readonly object[] as readonly SpanNode[]).toReversed())
  }
  return found
}

function toStep(node: SpanNode): EarlierStep {
  const { spanId, kind, name, durationMs, status } = node
  const asked = node.attributes['arguments'] ?? node.content?.arguments
  return { id: spanId, kind, name, preview: toLine(asked), durationMs, hasFailed: status === 'error' }
}

// Text of a message, or of the answer of a model.
function wordsOf({ kind, attributes, content }: SpanNode): string {
  if (kind === 'message') return stringOf(attributes['text']) || stringOf(attributes['content'])
  const messages: unknown = kind === 'model' ? content?.outputMessages : undefined
  if (!Array.isArray(messages)) return ''
  return messages
    .flatMap(partsOf)
    .map(stringOf)
    .filter((part) => part !== '')
    .join('\n')
}

function partsOf(message: unknown): readonly unknown[] {
  const { parts } = (message ?? {}) as { readonly parts?: unknown }
  if (!Array.isArray(parts)) return []
  return parts.map((part: unknown) => {
    const { type, content } = (part ?? {}) as { readonly type?: unknown; readonly content?: unknown }
    return type === 'text' ? content : ''
  })
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

function toLine(value: unknown): string {
  if (value === undefined || value === null) return ''
  const whole = typeof value === 'string' ? value : JSON.stringify(value)
  const line = whole.slice(0, 4 * PREVIEW).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
  return [...line].slice(0, PREVIEW).join('')
}
