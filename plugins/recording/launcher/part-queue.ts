import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '#core/log/logger.ts'
import { sendPart } from '#plugins/recording/contract/wire.ts'
import { callState } from '#launcher/contract/state/call-state.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'

/** Outcome of a part, for metrics. */
export type PartOutcome = 'stored' | 'dropped' | 'refused' | 'failed'

/** A part in the queue. */
export interface QueuedPart {
  readonly runId: string
  /** Bytes in memory until it is sent. */
  readonly bytes: number
  /** JSON of the part. */
  text(): Promise<string>
  /** Called once. */
  ended(outcome: PartOutcome): void
}

/** Sends parts to the state role, sequentially. */
export interface PartQueue {
  /** Queues a part, or drops it above the limits. */
  add(part: QueuedPart): void
  close(): Promise<void>
}

/** Options of `createPartQueue`; times in milliseconds. */
export interface PartQueueOptions {
  readonly state: StateClient
  readonly log: Logger
  /** Maximum number of queued parts (1,000). */
  readonly maxParts?: number
  /** Pause before the second attempt (1 s). */
  readonly retryMs?: number
  /** Time to send the remaining parts when the launcher ends (2 s). */
  readonly closeMs?: number
}

/** Creates the queue. Each part is sent at most twice. The state role's response says whether a part will never be accepted. */
export function createPartQueue(options: PartQueueOptions): PartQueue {
  const { state, log, maxParts = 1_000, retryMs = 1_000, closeMs = 2_000 } = options
  const waiting: QueuedPart[] = []
  const stop = new AbortController()
  let sending: Promise<void> | undefined
  const post = async (json: string): Promise<PartOutcome | 'again'> => {
    const sent = callState(state, sendPart, { json, signal: stop.signal })
    const { status } = await sent.catch(() => ({ status: undefined }))
    if (status === undefined || status >= 500) return status === 501 ? 'refused' : 'again'
    return status === 204 ? 'stored' : 'refused'
  }
  const send = async (part: QueuedPart): Promise<PartOutcome> => {
    const body = await part.text()
    const outcome = await post(body)
    if (outcome !== 'again') return outcome
    await delay(retryMs, undefined, { signal: stop.signal })
    const second = await post(body)
    return second === 'again' ? 'failed' : second
  }
  const sendAll = async (): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const outcome = await send(part).catch(() => 'failed' as const)
      if (outcome !== 'stored') log.warn({ runId: part.runId, outcome }, 'part of a recording was not stored')
      part.ended(outcome)
    }
    sending = undefined
  }
  return {
    add(part) {
      if (stop.signal.aborted || waiting.length >= maxParts) {
        part.ended('dropped')
        return
      }
      waiting.push(part)
      sending ??= sendAll()
    },
    async close() {
      const late = delay(closeMs, undefined, { ref: false })
      await Promise.race([sending, late])
      stop.abort(new Error('the launcher is shutting down'))
      for (const part of waiting.splice(0)) part.ended('dropped')
      await sending
    },
  }
}
