import { isObject } from '#core/json/is-object.ts'
import { pauseReasons } from '#schemas/runs/run.ts'

type Data = Readonly<Record<string, unknown>>

// Kinds written by the platform, and their content fields that a share may show: others contain users, labels or conversation ids.
const platformKinds = /^(?:run\.|interrupt\.resolved$)/
const platformContent: ReadonlySet<string> = new Set(['output', 'message', 'interrupts', 'arguments'])

const counts: ReadonlySet<string> = new Set([
  'step',
  'durationMs',
  'offset',
  'count',
  'segment',
  'status',
  'isError',
  'edited',
  'inputTokens',
  'outputTokens',
  'cachedTokens',
  'reasoningTokens',
])
const identifiers: ReadonlySet<string> = new Set([
  'messageId',
  'toolCallId',
  'parentSpanId',
  'interruptId',
  'id',
  'runId',
  'name',
  'tool',
  'agent',
  'role',
  'mode',
  'route',
  'model',
  'provider',
  'state',
  'decision',
  'pauseReason',
  'failReason',
  'code',
  'policy',
  'rule',
  'check',
  'stage',
  'action',
  'currency',
  'amount',
])
const groups: ReadonlySet<string> = new Set(['usage', 'cost', 'error'])

// Only single words: agents choose these strings.
const identifier = /^[\w.:/@-]{1,128}$/

/** Data of a journal entry without users, labels and conversations that the platform wrote into it. */
export function withoutUsers(kind: string, data: Data): Data {
  if (!platformKinds.test(kind)) return data
  // The message of a rejection begins with the name of the user.
  const isContent = (key: string): boolean => platformContent.has(key) && (kind !== 'run.rejected' || key !== 'message')
  return Object.fromEntries(Object.entries(data).filter(([key, value]) => isMetadata(key, value) || isContent(key)))
}

/** The part of the data that is not content: names, ids, states and counts. */
export function metadataOf(data: Data): Data {
  return Object.fromEntries(
    Object.entries(data)
      .filter(([key, value]) => isMetadata(key, value))
      .map(toMetadata),
  )
}

/** Counts of the data, which are shown unchanged even if a pattern matches them. */
export function countsOf(data: Data): Data {
  const own = Object.entries(data).filter(([key, value]) => counts.has(key) && isCount(value))
  return { ...Object.fromEntries(own), ...(isObject(data['usage']) ? { usage: countsOf(data['usage']) } : {}) }
}

function toMetadata([key, value]: [string, unknown]): [string, unknown] {
  return [key, isObject(value) ? metadataOf(value) : value]
}

function isMetadata(key: string, value: unknown): boolean {
  if (counts.has(key)) return isCount(value)
  if (key === 'reason') return pauseReasons.some((reason) => reason === value)
  if (groups.has(key)) return isObject(value)
  return identifiers.has(key) && typeof value === 'string' && identifier.test(value)
}

function isCount(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
}
