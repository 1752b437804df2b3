import { isObject } from '#core/json/is-object.ts'
import type { EntryKind, LauncherEntry } from '#schemas/runs/run.ts'
import { isStorableTime, toStorableValue } from '#schemas/values/storable-text.ts'
import { invalid } from './agent-fault.ts'

const maxDepth = 128
const maxPath = 32
const maxName = 253
const maxSpanId = 64
/** Integer columns of PostgreSQL. */
const maxInteger = 2 ** 31 - 1

const deltaKinds: readonly EntryKind[] = ['message.delta', 'tool.args.delta']
// Only the platform writes the other kinds. A launcher that sent them could end a stream or forge a decision.
const launcherKinds: readonly EntryKind[] = [
  ...deltaKinds,
  'run.succeeded',
  'run.failed',
  'run.cancelled',
  'run.timed_out',
  'run.paused',
  'step.started',
  'step.finished',
  'message.started',
  'message.finished',
  'tool.started',
  'tool.finished',
  'interrupt.requested',
  'interrupt.resolved',
  'delegate.started',
  'delegate.finished',
  'guardrail.decided',
  'usage.reported',
]

/**
 * Parses an entry of a launcher as untrusted input: every field is validated, and text that the store cannot hold is replaced (F5).
 * Throws `AgentFault` for an invalid entry.
 */
export function readEntry(json: string): LauncherEntry {
  const given = parse(json)
  if (isDeeperThan(given, maxDepth)) throw invalid('data', `must not be nested deeper than ${maxDepth} levels`)
  // Unstorable characters can only arrive as escapes: the line was decoded from UTF-8, and a raw NUL is invalid JSON.
  const entry = toRecord(json.includes('\\u') ? toStorableValue(given) : given, 'the entry')
  const kind = launcherKinds.find((known) => known === entry['kind'])
  if (kind === undefined) throw invalid('kind', 'must be a kind that a launcher reports')
  return {
    ...readNumber(entry['n'], kind),
    ts: readTime(entry['ts']),
    kind,
    path: readPath(entry['path']),
    spanId: readText(entry['spanId'], 'spanId', maxSpanId),
    data: toRecord(entry['data'], 'data'),
  }
}

/** Whether a JSON value has more than `depth` levels of lists and objects. */
export function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((child) => isDeeperThan(child, depth - 1))
}

/** A JSON object. */
export function toRecord(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw invalid(field, 'must be an object')
  return value
}

/** A string of bounded length. */
export function readText(value: unknown, field: string, maxLength: number): string {
  if (typeof value !== 'string' || value.length > maxLength)
    throw invalid(field, `must be a string of at most ${maxLength} characters`)
  return value
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw invalid('the entry', 'must be JSON')
  }
}

function readNumber(n: unknown, kind: EntryKind): Pick<LauncherEntry, 'n'> {
  if (n === undefined && deltaKinds.includes(kind)) return {}
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 1 || n > maxInteger || kind === 'message.delta')
    throw invalid('n', `must be a whole number from 1 to ${maxInteger}, and absent from a delta`)
  return { n }
}

function readTime(ts: unknown): string {
  const time = typeof ts === 'string' ? Date.parse(ts) : Number.NaN
  if (!isStorableTime(time)) throw invalid('ts', 'must be an RFC 3339 time')
  return new Date(time).toISOString()
}

function readPath(path: unknown): readonly string[] {
  if (!Array.isArray(path) || path.length > maxPath) throw invalid('path', `must be a list of at most ${maxPath} names`)
  return path.map((name) => readText(name, 'path', maxName))
}
