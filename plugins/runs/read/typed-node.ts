import { isObject } from '#core/json/is-object.ts'
import type { Usage } from '#schemas/runs/run.ts'
import type { NodeError, TreeNode } from '../contract/run-tree.ts'

type Typed = Pick<TreeNode, 'usage' | 'cost' | 'error' | 'runId'>
type Data = Readonly<Record<string, unknown>>

/** Fields of a node that its entries have under names of their own. An agent may write entries of any form. */
export function typedFields(kind: string, data: Data): Typed {
  return {
    usage: kind === 'model' ? toUsage(data['usage']) : null,
    cost: kind === 'model' ? toCost(data['cost']) : null,
    error: toNodeError(kind, data),
    runId: kind === 'delegate' ? childOf(data) : null,
  }
}

/** The fields of a node after its last entry: what it does not say stays. */
export function mergeTyped(first: Typed, last: Typed): Typed {
  return {
    usage: last.usage ?? first.usage,
    cost: last.cost ?? first.cost,
    error: last.error ?? first.error,
    runId: last.runId ?? first.runId,
  }
}

function toUsage(given: unknown): Usage | null {
  if (!isObject(given)) return null
  const count = (value: unknown): number => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0)
  return {
    inputTokens: count(given.inputTokens),
    outputTokens: count(given.outputTokens),
    cachedTokens: count(given.cachedTokens),
    reasoningTokens: count(given.reasoningTokens),
  }
}

function toCost(given: unknown): TreeNode['cost'] {
  if (!isObject(given)) return null
  const { amount, currency } = given
  return typeof amount === 'string' && typeof currency === 'string' ? { amount, currency } : null
}

function childOf({ runId, childRunId }: Data): string | null {
  const found = runId ?? childRunId
  return typeof found === 'string' ? found : null
}

function toNodeError(kind: string, { error, isError, result, state, code }: Data): NodeError | null {
  if (isObject(error)) return { code: textOf(error.code) ?? `${kind}_error`, message: textOf(error.message) ?? '' }
  if (error !== undefined && error !== null) return { code: `${kind}_error`, message: textOf(error) ?? '' }
  if (isError === true)
    return { code: 'tool_error', message: (isObject(result) ? textOf(result.error) : textOf(result)) ?? '' }
  if (kind !== 'delegate' || state === undefined || state === 'succeeded') return null
  return { code: textOf(code) ?? textOf(state) ?? 'failed', message: '' }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
