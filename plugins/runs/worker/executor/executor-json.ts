import type { InvokeResult } from '#schemas/runs/run.ts'
import { toStorableValue } from '#schemas/values/storable-text.ts'
import type { ExecutorResult } from '../../contract/points.ts'
import { invalid } from '../entries/agent-fault.ts'
import { exceeded } from '../entries/run-limits.ts'
import type { RunLimits } from '../entries/run-limits.ts'
import { isDeeperThan, toRecord } from '../entries/read-entry.ts'
import { readResult } from '../entries/read-result.ts'

const maxDepth = 128

/** A call that released its worker. */
export type ReleasedCall = Extract<ExecutorResult, { state: 'waiting' }>

/** Validates the result of an executor like that of a launcher: an executor relays untrusted data. */
export function readExecutorResult(limits: RunLimits, given: unknown): InvokeResult | ReleasedCall {
  const { text, value } = toJson(given, 'the result')
  if (Buffer.byteLength(text) > limits.runEntryBytes) throw exceeded('runEntryBytes', limits)
  const result = toRecord(value, 'the result')
  const { state, afterMs } = result
  if (state !== 'waiting') return readResult(result, `run.${String(state)}`)
  if (typeof afterMs !== 'number') throw invalid('afterMs', 'must be a number')
  return { state, afterMs }
}

/** Converts a value to JSON that the store can hold. Throws `AgentFault` for values that are not JSON. */
export function toJson(given: unknown, field: string): { readonly text: string; readonly value: unknown } {
  // A cycle is deeper than any bound.
  if (isDeeperThan(given, maxDepth)) throw invalid(field, `must not be nested deeper than ${maxDepth} levels`)
  const value = toStorableValue(JSON.parse(stringify(given, field)))
  return { text: JSON.stringify(value), value }
}

function stringify(given: unknown, field: string): string {
  try {
    const text: string | undefined = JSON.stringify(given)
    if (text !== undefined) return text
  } catch {
    // BigInt, or a toJSON that throws: refused below
  }
  throw invalid(field, 'must be JSON')
}
