import { asObject } from '#core/json/is-object.ts'
import { isName } from '#core/kube/names.ts'
import { failReasons, pauseReasons } from '#schemas/runs/run.ts'
import type { FailReason, Interrupt, InvokeResult, PauseReason, Usage } from '#schemas/runs/run.ts'
import { AgentFault, invalid } from './agent-fault.ts'
import { readText, toRecord } from './read-entry.ts'

const maxInterrupts = 100
const maxId = 512
const maxMessage = 64 * 1024

// Reasons that only the platform sets; a launcher must not report them.
const notOfLaunchers: ReadonlySet<FailReason> = new Set([
  'permission_revoked',
  'lost_worker',
  'approval_denied',
  'approval_expired',
])

/** Parses the result of a segment from the data of its last entry. The state must match the kind of the entry. */
export function readResult(data: Readonly<Record<string, unknown>>, kind: string): InvokeResult {
  const { state } = data
  if (typeof state !== 'string' || `run.${state}` !== kind) throw invalid('state', 'must be that of its kind')
  const usage = readUsage(data['usage'])
  switch (state) {
    case 'succeeded':
      return { state, output: data['output'], usage }
    case 'failed':
      return { state, failReason: readFailReason(data['failReason']), message: readMessage(data['message']), usage }
    case 'paused':
      return { state, ...readPause(data), checkpoint: data['checkpoint'], usage }
    case 'cancelled':
      return { state, usage }
    case 'timed_out':
      // Older launchers send no message.
      return { state, ...('message' in data ? { message: readMessage(data['message']) } : {}), usage }
    default:
      throw invalid('state', 'must be a result')
  }
}

/** Token counts from 0 to 2^53 - 1. Invalid values become 0, larger ones the maximum. */
export function readUsage(value: unknown): Usage {
  const given = asObject(value)
  const count = (name: keyof Usage): number => {
    const counted = given[name]
    return typeof counted === 'number' && counted > 0 ? Math.min(Math.floor(counted), Number.MAX_SAFE_INTEGER) : 0
  }
  return {
    inputTokens: count('inputTokens'),
    outputTokens: count('outputTokens'),
    cachedTokens: count('cachedTokens'),
    reasoningTokens: count('reasoningTokens'),
  }
}

function readFailReason(value: unknown): FailReason {
  const reason = failReasons.find((known) => known === value)
  if (reason === undefined || notOfLaunchers.has(reason)) throw invalid('failReason', 'must be one of a launcher')
  return reason
}

function readMessage(value: unknown): string {
  if (typeof value !== 'string') throw invalid('message', 'must be a string')
  return value.slice(0, maxMessage)
}

function readPause(data: Readonly<Record<string, unknown>>) {
  const { interrupts } = data
  if (!Array.isArray(interrupts) || interrupts.length === 0 || interrupts.length > maxInterrupts)
    throw new AgentFault('invalid_entry', `The agent paused with no question, or with more than ${maxInterrupts}.`)
  const questions = interrupts.map(readInterrupt)
  // An answer refers to its question by id: of two questions with the same id, only one could be answered.
  if (new Set(questions.map(({ id }) => id)).size < questions.length)
    throw new AgentFault('invalid_entry', 'The agent paused with two questions of the same id.')
  return { pauseReason: readPauseReason(data['pauseReason']), interrupts: questions }
}

function readPauseReason(value: unknown): PauseReason {
  const reason = pauseReasons.find((known) => known === value)
  if (reason === undefined) throw invalid('pauseReason', 'must be a known reason')
  return reason
}

function readInterrupt(value: unknown): Interrupt {
  const given = toRecord(value, 'interrupts')
  const { tool, toolCallId, question } = given
  return {
    id: readText(given['id'], 'interrupts/id', maxId),
    reason: readPauseReason(given['reason']),
    ...(typeof tool === 'string' ? { tool } : {}),
    ...(typeof toolCallId === 'string' ? { toolCallId } : {}),
    ...('arguments' in given ? { arguments: given['arguments'] } : {}),
    ...(typeof question === 'string' ? { question } : {}),
    ...('schema' in given ? { schema: given['schema'] } : {}),
    ...readHints(given['hints']),
    ...readPolicy(given['policy']),
    ...readConsent(given['consent']),
  }
}

// Older launchers send none of these; what is malformed is left out.
function readHints(value: unknown): Pick<Interrupt, 'hints'> {
  const { readOnly, destructive } = asObject(value)
  return typeof readOnly === 'boolean' && typeof destructive === 'boolean' ? { hints: { readOnly, destructive } } : {}
}

function readPolicy(value: unknown): Pick<Interrupt, 'policy'> {
  const { kind, name, rule } = asObject(value)
  if (typeof kind !== 'string' || typeof name !== 'string') return {}
  const most = (text: string): string => text.slice(0, maxId)
  return { policy: { kind: most(kind), name: most(name), ...(typeof rule === 'string' ? { rule: most(rule) } : {}) } }
}

// The console follows the path, so that it may lead to the consent of this server only.
function readConsent(value: unknown): Pick<Interrupt, 'consent'> {
  const { namespace, server, path } = asObject(value)
  if (typeof namespace !== 'string' || typeof server !== 'string' || typeof path !== 'string') return {}
  if (!isName(namespace) || !isName(server)) return {}
  const [page, run = ''] = path.split('?run=', 2)
  const isOfServer = page === `/consent/${namespace}/${server}` && /^[0-9a-f-]{36}$/.test(run)
  return isOfServer ? { consent: { namespace, server, path: `${page}?run=${run}` } } : {}
}
