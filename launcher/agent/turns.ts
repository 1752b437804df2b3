import { isObject } from '#core/json/is-object.ts'
import type { RunContext } from '../runs/run-context.ts'
import type { ChatMessage } from '../contract/loop/chat-messages.ts'
import { isChatMessage } from './conversation.ts'
import type { Turns, TurnScope } from '../contract/loop/turns.ts'

/** Maximum size of the earlier turns that are sent to the model, newest first: memory keeps more than a model can read. */
export const MAX_CONTEXT_BYTES = 128 * 1024
// The state role accepts 256 KiB; the difference is reserved for the names of fields.
const MAX_TURN_BYTES = 255 * 1024
// A run does not wait longer for its memory.
const DEADLINE_MS = 3_000

/** Messages of earlier turns; undefined without session memory or if it cannot be reached. Throws if the run was stopped. */
export async function recallTurns(
  turns: Turns | undefined,
  context: RunContext,
): Promise<readonly ChatMessage[] | undefined> {
  if (turns === undefined) return undefined
  try {
    return toContext(await turns.read(scopeOf(context)))
  } catch {
    context.signal.throwIfAborted()
    return undefined
  }
}

/** Stores the messages of a succeeded run. In an outage, or above a quota, the conversation lacks the turn; the run does not fail. */
export async function storeTurn(
  turns: Turns | undefined,
  context: RunContext,
  messages: readonly ChatMessage[],
): Promise<void> {
  const turn = toTurn(messages)
  if (turns === undefined || turn === undefined) return
  await turns.append(scopeOf(context), turn).catch(() => undefined)
}

function scopeOf({ runId, span, signal }: RunContext): TurnScope {
  return { runId, span, signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]) }
}

/** The newest whole turns within `MAX_CONTEXT_BYTES`: a part of a turn may be the result of a call that the model does not see. Pure. */
export function toContext(stored: unknown): readonly ChatMessage[] {
  const kept: (readonly ChatMessage[])[] = []
  let bytes = 0
  for (const turn of (Array.isArray(stored) ? stored : []).toReversed()) {
    const messages = messagesOf(turn)
    if (messages === undefined) continue
    bytes += bytesOf(messages)
    if (bytes > MAX_CONTEXT_BYTES) break
    kept.push(messages)
  }
  return kept.toReversed().flat()
}

/** The messages since the input of the run; only input and response if they are too large; undefined if these are too large as well. Pure. */
export function toTurn(messages: readonly ChatMessage[]): readonly ChatMessage[] | undefined {
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user'))
  if (bytesOf(turn) <= MAX_TURN_BYTES) return turn
  const ends = turn.filter((_, index) => index === 0 || index === turn.length - 1)
  return bytesOf(ends) <= MAX_TURN_BYTES ? ends : undefined
}

function messagesOf(turn: unknown): readonly ChatMessage[] | undefined {
  if (!isObject(turn) || !Array.isArray(turn.messages)) return undefined
  return turn.messages.every(isChatMessage) ? turn.messages : undefined
}

function bytesOf(messages: readonly ChatMessage[]): number {
  return Buffer.byteLength(JSON.stringify(messages))
}
