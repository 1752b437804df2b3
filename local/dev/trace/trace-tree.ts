import type { Static } from 'typebox'
import { toSafeText } from '#cli/contract/safe-text.ts'
import type { RunTree, TreeNode } from '#schemas/api/run-events.ts'
import type { Run } from '#schemas/api/runs.ts'

/** A run with its tree, as the API returns them. */
export interface TracedRun {
  readonly run: Static<typeof Run>
  readonly tree: Static<typeof RunTree>
}

type Node = Static<typeof TreeNode>
type Money = { readonly amount: string; readonly currency: string } | null

/** Narrower terminals get lines of this length. */
const MIN_WIDTH = 16
const MAX_LINES = 200

/** A run as a compact tree of its spans with tokens, cost and duration, each line at most as wide as the terminal. Pure. */
export function drawTraceTree({ run, tree }: TracedRun, width = 100): string {
  const head = [run.state, duration(run.durationMs), tokens(run.usage), cost(run.treeCost ?? run.cost), run.id]
  const spans = childrenOf(tree.root).flatMap((node, index, all) => linesOf(node, '', index === all.length - 1))
  const shown = spans.length > MAX_LINES ? [...spans.slice(0, MAX_LINES), `… ${spans.length - MAX_LINES} more`] : spans
  const lines = [joined(head), ...shown, ...ends(run)]
  return lines.map((line) => `${shorten(toSafeText(line), Math.max(width, MIN_WIDTH))}\n`).join('')
}

function linesOf(node: Node, indent: string, isLast: boolean): string[] {
  const state = node.status === 'ok' ? '' : node.status
  const parts = [
    titleOf(node),
    state,
    duration(node.durationMs),
    node.usage === null ? '' : tokens(node.usage),
    cost(node.cost),
  ]
  const below = `${indent}${isLast ? '   ' : '│  '}`
  const error = node.error === null ? [] : [`${below}${node.error.code} ${node.error.message}`.trimEnd()]
  const children = childrenOf(node)
  return [
    `${indent}${isLast ? '└─ ' : '├─ '}${joined(parts)}`,
    ...error,
    ...children.flatMap((child, index) => linesOf(child, below, index === children.length - 1)),
  ]
}

function titleOf({ kind, name }: Node): string {
  return name.startsWith(kind) ? name : `${kind} ${name}`
}

function childrenOf({ children }: Node): readonly Node[] {
  return children as readonly unknown[] as readonly Node[]
}

function ends({ error, pauseReason, output }: TracedRun['run']): readonly string[] {
  if (error !== null) return [`error: ${error.code}${error.message === undefined ? '' : `: ${error.message}`}`]
  if (pauseReason !== null) return [`paused: ${pauseReason}; POST /api/runs/{id}/resume continues it`]
  return output === undefined || output === null
    ? []
    : [`→ ${typeof output === 'string' ? output : JSON.stringify(output)}`]
}

function duration(ms: number | null): string {
  if (ms === null) return ''
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

function tokens({
  inputTokens,
  outputTokens,
}: {
  readonly inputTokens: number
  readonly outputTokens: number
}): string {
  return inputTokens + outputTokens === 0 ? '' : `${inputTokens}+${outputTokens} tokens`
}

function cost(money: Money): string {
  return money === null ? '' : `${money.amount} ${money.currency}`
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('  ')
}

function shorten(line: string, width: number): string {
  const characters = [...line]
  return characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`
}
