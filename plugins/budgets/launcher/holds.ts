import { randomUUID } from 'node:crypto'
import { sleep } from '#core/async/sleep.ts'
import type { Logger } from '#core/log/logger.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { pluginDisabled } from '#launcher/contract/state/plugin-disabled.ts'
import { callState } from '#launcher/contract/state/call-state.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'
import { releaseHold, extendHolds, settleHold } from '#plugins/budgets/contract/wire.ts'
import type { HoldRequest } from '#plugins/budgets/contract/wire.ts'
import { createOpenings } from './openings.ts'
import type { OpeningResponse } from './openings.ts'
import { createSettlements } from './settlements.ts'
import type { SettlementResponse } from './settlements.ts'
import type { Hold, SettledCost, Settlement } from '#launcher/contract/calls/payment.ts'

/** Money of the agent's model calls, kept by the state role. */
export interface Holds {
  /**
   * Holds money for a call; undefined if the agent has neither budget nor quota. Throws `Refusal`. `onLost` is called if the hold can no longer be
   * renewed: its call must end.
   */
  open(request: HoldRequest, onLost: () => void): Promise<Hold | undefined>
  /**
   * Settles a call that the gateway has not settled, and returns its cost. Undefined if the state role cannot be reached now; it is sent again until
   * the lease of the hold ends.
   */
  settle(hold: Hold, settlement: Settlement): Promise<SettledCost | undefined>
  /** Releases the money of a call that was not forwarded. */
  release(hold: Hold): Promise<void>
  /** Waits, at most two seconds, for settlements that are sent again. */
  close(): Promise<void>
}

/** Options of `createHolds`. */
export interface HoldsOptions {
  readonly state: StateClient
  readonly log: Logger
  /** Delays in milliseconds before a settlement is sent again. */
  readonly retryMs?: readonly number[]
}

// The sum is about the length of a lease: afterwards the state role charges the hold (B2).
const defaultRetryMs: readonly number[] = [500, 1000, 2000, 4000, 8000, 15_000]
const closeMs = 2000

/** Creates the client for holds. */
export function createHoldClient({ state, log, retryMs = defaultRetryMs }: HoldsOptions): Holds {
  const closing = new AbortController()
  const pending = new Set<Promise<unknown>>()
  const renewal = createRenewal(state)
  const sendSettlement = createSettlements(state)
  const openHold = createOpenings(state)
  const finish = async (
    { id }: Hold,
    what: 'settled' | 'released',
    send: Sending,
  ): Promise<SettlementResponse | undefined> => {
    const response = await send.first().catch(() => undefined)
    if (response !== undefined && response.status < 500) {
      renewal.remove(id)
      if (response.status >= 300) log.error({ hold: id, status: response.status }, `hold not ${what}`)
      return response
    }
    const later = sendAgain(id, send.again).finally(() => {
      renewal.remove(id)
      pending.delete(later)
    })
    pending.add(later)
    return undefined
  }
  const sendAgain = async (hold: string, send: Sending['again']): Promise<void> => {
    for (const delay of retryMs) {
      await sleep(delay, closing.signal)
      const response = await send().catch(() => undefined)
      if (response !== undefined && response.status < 500) return
      if (closing.signal.aborted) break
    }
    log.error({ hold }, 'call not settled, its hold will be charged')
  }
  return {
    // Not aborted with its caller: an unknown hold could not be released.
    async open(request, onLost) {
      const response = await openHold({ key: randomUUID(), request }).catch(() => {
        throw unavailable()
      })
      return toHold(response, (id, everySeconds) => renewal.add(id, everySeconds, onLost))
    },
    async settle(hold, settlement) {
      const { id } = hold
      const response = await finish(hold, 'settled', {
        first: () => sendSettlement({ id, body: settlement }),
        again: () => callState(state, settleHold, { params: { id }, body: settlement }),
      })
      return response === undefined ? undefined : toSettled(response)
    },
    async release(hold) {
      const send = () => callState(state, releaseHold, { params: { id: hold.id } })
      await finish(hold, 'released', { first: send, again: send })
    },
    async close() {
      closing.abort()
      renewal.close()
      const limit = new AbortController()
      await Promise.race([Promise.all(pending), sleep(closeMs, limit.signal)])
      limit.abort()
    },
  }
}

function toHold(response: OpeningResponse, renew: (id: string, everySeconds: number) => void): Hold | undefined {
  const { status, headers, value, problem } = response
  const { code } = problem
  const message = problem.detail?.slice(0, 500)
  if (status === 404 && code === 'unbudgeted') return undefined
  if (status === 429) {
    const known = code === 'concurrency_limited' ? code : 'rate_limited'
    const after = headers['retry-after']
    throw new Refusal(known, message, { 'retry-after': typeof after === 'string' ? after : '1' })
  }
  if (status === 402) throw new Refusal('budget_exceeded', message, onExceed(headers))
  if (status === 422) throw new Refusal('price_unknown', message)
  if (status === 404 && code === 'not_found') throw new Refusal('not_found', message)
  const disabled = pluginDisabled(response)
  if (disabled !== undefined) throw disabled
  // Any other response could come from a state role without the plugin: a call without a hold would not be charged (B5).
  if (value === undefined) throw unavailable()
  const { id, renewEverySeconds, maxOutputTokens, remaining } = value
  renew(id, renewEverySeconds)
  return { id, maxOutputTokens, remaining: remaining ?? undefined }
}

// The agent's spec determines whether the run fails or pauses.
function onExceed(headers: OpeningResponse['headers']): Record<string, string> {
  return headers['x-mesh-on-exceed'] === 'pause' ? { 'x-mesh-on-exceed': 'pause' } : {}
}

function unavailable(): Refusal {
  return new Refusal('budget_unavailable', undefined, { 'retry-after': '1' })
}

function toSettled({ value }: SettlementResponse): SettledCost {
  return { cost: value?.cost ?? undefined, remaining: value?.remaining ?? undefined }
}

/** The functions that send and resend the end of a hold. */
interface Sending {
  readonly first: () => Promise<SettlementResponse>
  readonly again: () => Promise<SettlementResponse>
}

interface Renewal {
  add(id: string, everySeconds: number, onLost: () => void): void
  remove(id: string): void
  close(): void
}

// One request renews the leases of all calls in progress.
function createRenewal(state: StateClient): Renewal {
  const held = new Map<string, () => void>()
  let timer: NodeJS.Timeout | undefined
  const renew = async (): Promise<void> => {
    const ids = [...held.keys()]
    // Without a response, the request is repeated before the leases end.
    const response = await callState(state, extendHolds, { body: { ids } }).catch(() => undefined)
    const renewed = response?.value?.renewed
    if (renewed === undefined) return
    for (const id of ids) if (!renewed.includes(id)) held.get(id)?.()
  }
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }
  return {
    add(id, everySeconds, onLost) {
      held.set(id, onLost)
      timer ??= setInterval(renew, Math.min(Math.max(everySeconds, 0.05), 3600) * 1000).unref()
    },
    remove(id) {
      held.delete(id)
      if (held.size === 0) stop()
    },
    close: stop,
  }
}
