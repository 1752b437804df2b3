import { isObject } from '#core/json/is-object.ts'
import { problemOfError } from '#core/errors/define-errors.ts'
import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import { filterLimits, isWithin } from './filter-order.ts'
import { failedIn, refusedBy } from './filter-stop.ts'
import type { FilterStage, FilterStop } from './filter-stop.ts'
import type {
  CallFilter,
  FilterContext,
  FilterDecision,
  FilteredCall,
  ModelFilter,
  Verdict,
} from '../../contract/model-filter.ts'

/** Result of one invocation of a filter, for the metrics. */
export interface Invocation {
  readonly filter: string
  readonly stage: FilterStage
  readonly outcome: 'passed' | 'changed' | 'refused' | 'failed' | 'timed_out'
  readonly seconds: number
  /** Time until the filter returned a decision or a promise. */
  readonly busySeconds: number
}

/** State shared by the sessions of one call. */
export interface SessionContext {
  readonly call: FilteredCall
  readonly gateway: GatewayContext
  /** Aborted when the client disconnects and when the call ends. */
  readonly signal: AbortSignal
  readonly onInvocation: (invocation: Invocation) => void
  /** The error of a filter, for the log. */
  readonly onError: (filter: string, stage: FilterStage, error: unknown) => void
  readonly onDecided: (decisions: readonly FilterDecision[]) => void
  /** Called when the filter has ended the call. */
  readonly onStop: (stop: FilterStop) => void
}

/** One filter in one call: timeout, failure policy and metrics of its decisions. */
export class FilterSession {
  readonly name: string
  hooks: CallFilter = {}
  readonly #filter: ModelFilter
  readonly #context: SessionContext
  readonly #timeoutMs: number
  #aborted: AbortController | undefined
  #combined: AbortSignal | undefined
  #skipped = false

  constructor(filter: ModelFilter, context: SessionContext) {
    this.name = filter.name
    this.#filter = filter
    this.#context = context
    this.#timeoutMs = filter.timeoutMs ?? filterLimits.defaultTimeoutMs
  }

  /** Whether the filter failed and is open (`onFailure: 'pass'`). */
  get skipped(): boolean {
    return this.#skipped
  }

  /** Whether the filter applies to the call. Throws {@link FilterStop}. */
  async open(): Promise<boolean> {
    const { gateway, call, onDecided: decided } = this.#context
    const signalOf = (): AbortSignal => this.#signal()
    const context: FilterContext = {
      gateway,
      decided,
      get signal() {
        return signalOf()
      },
    }
    const opened = await this.#invoke('open', () => this.#filter.open(call, context), checkHooks)
    if (opened === undefined) return false
    this.hooks = opened
    return true
  }

  /** Returns the changed value, or undefined to pass. Throws {@link FilterStop}. `check` throws for an invalid change. */
  async decide<T>(stage: FilterStage, decide: () => unknown, check: (change: unknown) => T): Promise<T | undefined> {
    if (this.#skipped) return undefined
    const verdict = await this.#invoke(stage, decide, (given) => checkVerdict(given, check))
    if (verdict === undefined) return undefined
    if ('change' in verdict) return verdict.change
    const { refuse, message = refuse.title, param } = verdict
    throw this.#stopped(refusedBy(this.name, stage, { code: refuse.code, message, param }))
  }

  /** Called when the call has ended: cancels work of the filter that is still in progress. */
  close(): void {
    this.#aborted?.abort(new Error('the model call has ended'))
  }

  // Created on first use: most filters decide immediately and never read it.
  #signal(): AbortSignal {
    this.#aborted ??= new AbortController()
    this.#combined ??= AbortSignal.any([this.#aborted.signal, this.#context.signal])
    return this.#combined
  }

  async #invoke<T>(stage: FilterStage, run: () => unknown, check: (given: unknown) => T): Promise<T | undefined> {
    const startedAt = performance.now()
    let busy: number | undefined
    let outcome: Invocation['outcome'] = 'failed'
    try {
      const given = run()
      busy = performance.now() - startedAt
      const result = check(isPromise(given) ? await this.#inTime(given) : given)
      outcome = outcomeOf(stage, result)
      return result
    } catch (error) {
      if (this.#context.signal.aborted) throw error
      if (error instanceof TimedOut) outcome = 'timed_out'
      this.#fail(stage, error)
      return undefined
    } finally {
      const seconds = (performance.now() - startedAt) / 1000
      const busySeconds = busy === undefined ? seconds : busy / 1000
      this.#context.onInvocation({ filter: this.name, stage, outcome, seconds, busySeconds })
    }
  }

  // An open filter that failed is not called again in this call: its state may be incomplete.
  #fail(stage: FilterStage, error: unknown): void {
    this.#context.onError(this.name, stage, error)
    this.#aborted?.abort(new Error('the filter has failed'))
    if (this.#filter.onFailure !== 'pass')
      throw this.#stopped(failedIn(this.name, stage, error instanceof TimedOut ? 'timed_out' : 'failed'))
    this.#skipped = true
  }

  #stopped(stop: FilterStop): FilterStop {
    this.#context.onStop(stop)
    return stop
  }

  async #inTime(decision: PromiseLike<unknown>): Promise<unknown> {
    const { signal } = this.#context
    const { promise, reject } = Promise.withResolvers<never>()
    const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    const timer = setTimeout(() => reject(new TimedOut()), this.#timeoutMs)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    try {
      return await Promise.race([decision, promise])
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }
}

class TimedOut extends Error {}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && typeof value.then === 'function'
}

function outcomeOf(stage: FilterStage, result: unknown): Invocation['outcome'] {
  if (stage === 'open' || result === undefined) return 'passed'
  return isObject(result) && 'refuse' in result ? 'refused' : 'changed'
}

// Untyped plugins may return anything. An unknown value must not pass as "unchanged".
function checkHooks(given: unknown): CallFilter | undefined {
  if (given === undefined) return undefined
  if (!isObject(given)) throw new TypeError('open must return an object of hooks, or undefined')
  const { request, text, toolCall } = given
  for (const hook of [request, toolCall])
    if (hook !== undefined && typeof hook !== 'function') throw new TypeError('request and toolCall must be functions')
  if (text !== undefined && !isTextFilter(text))
    throw new TypeError('text must have check, a lookBack of 0 to 65536 and a step of 1 to 65536')
  if (request === undefined && text === undefined && toolCall === undefined)
    throw new TypeError('open must return request, text or toolCall')
  return given
}

function isTextFilter(text: unknown): boolean {
  if (!isObject(text) || typeof text.check !== 'function') return false
  const { lookBack, step = 1 } = text
  return isWithin(lookBack, 0, filterLimits.lookBack) && isWithin(step, 1, filterLimits.lookBack)
}

function checkVerdict<T>(given: unknown, check: (change: unknown) => T): Verdict<T> {
  if (given === undefined) return undefined
  if (isObject(given) && 'change' in given) return { change: check(given.change) }
  if (!isObject(given) || !isObject(given.refuse))
    throw new TypeError('a decision must be undefined, { change } or { refuse }')
  const { refuse, message, param } = given
  const problem = problemOfError(refuse)
  if (problem !== undefined) throw new TypeError(`refuse: ${problem}`)
  if (refuse.status !== 403) throw new TypeError('refuse: the status must be 403')
  if (message !== undefined && typeof message !== 'string') throw new TypeError('message must be a string')
  if (param !== undefined && typeof param !== 'string') throw new TypeError('param must be a string')
  return {
    refuse: refuse as never,
    ...(message === undefined ? {} : { message }),
    ...(param === undefined ? {} : { param }),
  }
}
