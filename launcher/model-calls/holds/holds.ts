import { randomUUID } from 'node:crypto'
import { sleep } from '#core/async/sleep.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Usage } from '#schemas/runs/run.ts'
import { Refusal } from '../../contract/http/refusal.ts'
import { pluginDisabled } from '../../contract/state/plugin-disabled.ts'
import type { StateResponse, StateClient } from '../../contract/state/state-client.ts'
import { remaining as anyPath } from '#plugins/budgets/contract/wire.ts'
import { readResponse } from '#schemas/wire/read-response.ts'
import { createOpenings } from './openings.ts'
import { createSettlements } from './settlements.ts'
import type { SettlementResponse } from './settlements.ts'
import type { Cost } from '../../contract/calls/model-call.ts'

/** What a model call may cost at most, as far as its request says. */
export interface HoldRequest {
  /** Run that pays; null: the agent itself. */
  readonly runId: string | null
  /** Route as `namespace/name`. */
  readonly model: string
  readonly operation: 'chat/completions' | 'embeddings'
  /** Upper estimate. */
  readonly inputTokens: number
  /** Of each choice; null: not limited by the request. */
  readonly maxOutputTokens: number | null
  readonly choices: number
}

/** Money that is held for one call, committed before it is forwarded (B1). */
export interface Hold {
  readonly id: string
  /** Tokens of the answer that it pays for; null: as many as the request allows. */
  readonly maxOutputTokens: number | null
  /** What is left of the budget. */
  readonly remaining: string | undefined
}

/** End of a call. Usage null is charged at the hold (B3). */
export interface Settlement {
  readonly usage: Usage | null
  /** `namespace/name` of the provider that answered, which has its own prices; null: unknown. */
  readonly provider: string | null
  /** The usage is counted from what was seen. */
  readonly estimated: boolean
  readonly outcome: 'succeeded' | 'failed' | 'aborted'
}

/** What a call cost. */
export interface Settled {
  /** Undefined: without a price. */
  readonly cost: Cost | undefined
  readonly remaining: string | undefined
}

/** Money of the agent's model calls, kept by the state role. */
export interface Holds {
  /**
   * Holds money for a call; undefined if the agent has neither budget nor quota. Throws `Refusal`. `onLost` is called if the hold is not
   * renewed any more: its call has to end.
   */
  open(request: HoldRequest, onLost: () => void): Promise<Hold | undefined>
  /** Settles a call. Undefined if the state role cannot be reached now; it is sent again until the lease of the hold ends. */
  settle(hold: Hold, settlement: Settlement): Promise<Settled | undefined>
  /** Gives back the money of a call that was not forwarded. */
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

// In sum about as long as a lease: the state role charges what is held afterwards (B2).
const defaultRetryMs: readonly number[] = [500, 1000, 2000, 4000, 8000, 15_000]
const closeMs = 2000

/** Creates the client for holds. */
export function createHolds({ state, log, retryMs = defaultRetryMs }: HoldsOptions): Holds {
  const closing = new AbortController()
  const pending = new Set<Promise<unknown>>()
  const renewal = createRenewal(state)
  const sendSettlement = createSettlements(state)
  const openHold = createOpenings(state)
  const finish = async (
    hold: Hold,
    path: 'settle' | 'release',
    body: object,
  ): Promise<SettlementResponse | undefined> => {
    const call = { method: 'POST', path: `/budgets/holds/${encodeURIComponent(hold.id)}/${path}`, body } as const
    const sent: Promise<SettlementResponse> = path === 'settle' ? sendSettlement({ id: hold.id, body }) : state(call)
    const answer = await sent.catch(() => undefined)
    if (answer !== undefined && answer.status < 500) {
      renewal.remove(hold.id)
      if (answer.status >= 300) log.error({ hold: hold.id, status: answer.status }, `hold not ${path}d`)
      return answer
    }
    const later = sendAgain(call).finally(() => {
      renewal.remove(hold.id)
      pending.delete(later)
    })
    pending.add(later)
    return undefined
  }
  const sendAgain = async (call: Parameters<StateClient>[0]): Promise<void> => {
    for (const delay of retryMs) {
      await sleep(delay, closing.signal)
      const answer = await state(call).catch(() => undefined)
      if (answer !== undefined && answer.status < 500) return
      if (closing.signal.aborted) break
    }
    log.error({ path: call.path }, 'call not settled, its hold will be charged')
  }
  return {
    // Not aborted with its caller: an unknown hold could not be released.
    async open(request, onLost) {
      const answer = await openHold({ key: randomUUID(), request }).catch(() => {
        throw unavailable()
      })
      return toHold(answer, (id, everySeconds) => renewal.add(id, everySeconds, onLost))
    },
    async settle(hold, settlement) {
      const answer = await finish(hold, 'settle', settlement)
      return answer === undefined ? undefined : toSettled(answer.body)
    },
    async release(hold) {
      await finish(hold, 'release', {})
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

function toHold(
  { status, headers, bytes, body }: StateResponse,
  renew: (id: string, everySeconds: number) => void,
): Hold | undefined {
  const { id, remaining, maxOutputTokens, renewEverySeconds, code, detail } = body
  const message = typeof detail === 'string' ? detail.slice(0, 500) : undefined
  if (status === 404 && code === 'unbudgeted') return undefined
  if (status === 429) {
    const known = code === 'concurrency_limited' ? code : 'rate_limited'
    const after = headers['retry-after']
    throw new Refusal(known, message, { 'retry-after': typeof after === 'string' ? after : '1' })
  }
  if (status === 402) throw new Refusal('budget_exceeded', message, onExceed(headers))
  if (status === 422) throw new Refusal('price_unknown', message)
  if (status === 404 && code === 'not_found') throw new Refusal('not_found', message)
  const disabled = pluginDisabled(readResponse(anyPath, { status, headers, bytes }))
  if (disabled !== undefined) throw disabled
  // Anything else could be a state role without the plugin: a call without a hold would not be paid for (B5).
  if (status !== 201 || typeof id !== 'string' || id === '') throw unavailable()
  renew(id, typeof renewEverySeconds === 'number' ? renewEverySeconds : 10)
  const most = typeof maxOutputTokens === 'number' ? maxOutputTokens : null
  return { id, maxOutputTokens: most, remaining: textOf(remaining) }
}

// Whether the run fails or pauses is the agent's setting.
function onExceed(headers: StateResponse['headers']): Record<string, string> {
  return headers['x-mesh-on-exceed'] === 'pause' ? { 'x-mesh-on-exceed': 'pause' } : {}
}

function unavailable(): Refusal {
  return new Refusal('budget_unavailable', undefined, { 'retry-after': '1' })
}

function toSettled({ cost, remaining }: StateResponse['body']): Settled {
  const { amount, currency } = (cost ?? {}) as Partial<Record<string, unknown>>
  const known = typeof amount === 'string' && typeof currency === 'string' ? { amount, currency } : undefined
  return { cost: known, remaining: textOf(remaining) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
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
    // Without an answer it is repeated before the leases end.
    const answer = await state({ method: 'POST', path: '/budgets/holds/renew', body: { ids } }).catch(() => undefined)
    const renewed: unknown = answer?.status === 200 ? answer.body.renewed : undefined
    if (!Array.isArray(renewed)) return
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
