import { uuidV7 } from '#core/async/uuid-v7.ts'
import { codeOf } from '#core/database/session/database-errors.ts'
import { StreamConflict } from '#core/event-store/streams.ts'
import type { Store, StreamEvent } from '#core/event-store/store.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { modelCallMetered } from '../contract/events.ts'
import type { MeteredModelCall } from '../contract/events.ts'
import { createCallLabels, providerMetrics } from '../contract/metrics.ts'
import type { CallLabels } from '../contract/metrics.ts'
import type { NamedProvider } from '../gateway/errors/provider-failure.ts'
import type { GatewayError } from '../gateway/errors/gateway-error.ts'
import { createGroupWriter } from './group-writer.ts'
import type { GroupBounds, GroupTarget } from './group-writer.ts'

/** Attribution of a metered call. */
export interface MeteredCall {
  readonly data: MeteredModelCall
  readonly actor: { readonly name: string; readonly kind: 'user' | 'system' }
  readonly traceparent: string
}

/** One failed attempt at a provider. */
export interface FailedAttempt {
  readonly route: { readonly namespace: string; readonly name: string }
  readonly provider: NamedProvider
  readonly failure: GatewayError
  readonly traceparent: string
}

/** Accounts for model calls. */
export interface Metering {
  /** Counts a call and queues its event. A call whose event cannot be written is counted and logged. */
  answered(call: MeteredCall): void
  /** Counts and logs a failed attempt. */
  failed(attempt: FailedAttempt): void
  /** Writes the queued events. */
  close(): Promise<void>
}

// A killed gateway loses the calls of one interval and those being written.
const defaultBounds: GroupBounds = {
  size: 500,
  everyMs: 50,
  held: 10_000,
  retryMs: { minMs: 100, maxMs: 5_000 },
  closeMs: 5_000,
}

type MeteringParts = Pick<Core, 'store' | 'log' | 'metrics' | 'now'>

/** Creates the functions. Without a store, calls are in the metrics only. */
export function createMetering(core: MeteringParts, bounds = defaultBounds): Metering {
  const { metrics, log, store } = core
  const labelsOf = createCallLabels()
  const count = createCounters(metrics)
  const failures = metrics.counter(providerMetrics.failures)
  const writer = store === undefined ? undefined : createGroupWriter(createTarget(store, core), bounds)
  return {
    answered: (call) => {
      const { route, provider } = call.data
      count(call.data, labelsOf(`${route.namespace}/${route.name}`, provider))
      writer?.add(toEntry(call, core.now()))
    },
    failed: ({ route, provider, failure, traceparent }) => {
      const labels = labelsOf(`${route.namespace}/${route.name}`, `${provider.namespace}/${provider.name}`)
      failures.inc({ ...labels, reason: failure.reason })
      log.warn(
        {
          route: `${route.namespace}/${route.name}`,
          provider: `${provider.namespace}/${provider.name}`,
          reason: failure.reason,
          status: failure.status,
          traceparent,
        },
        'model call failed',
      )
    },
    close: async () => writer?.close(),
  }
}

function createCounters(metrics: Core['metrics']): (data: MeteredModelCall, labels: CallLabels) => void {
  const calls = metrics.counter(providerMetrics.calls)
  const tokens = metrics.counter(providerMetrics.tokens)
  const seconds = metrics.histogram(providerMetrics.seconds)
  const firstByteSeconds = metrics.histogram(providerMetrics.firstByteSeconds)
  return (data, labels) => {
    calls.inc({ ...labels, operation: data.operation, status: String(data.status) })
    seconds.observe(data.durationMs / 1000, labels)
    if (data.status < 400) firstByteSeconds.observe(data.firstByteMs / 1000, labels)
    tokens.inc({ ...labels, direction: 'input' }, data.inputTokens)
    tokens.inc({ ...labels, direction: 'output' }, data.outputTokens)
  }
}

// One stream per call: each group has its own streams, so that groups of several gateways never wait for each other.
function toEntry({ data, actor, traceparent }: MeteredCall, time: Date): StreamEvent {
  const { namespace, name, uid } = data.route
  const subject = { namespace, kind: 'ModelRoute', name, uid }
  return {
    stream: `model-calls/${uuidV7()}`,
    event: { type: modelCallMetered, subject, data, actor, traceparent, time },
  }
}

function createTarget(store: Store, { metrics, log }: MeteringParts): GroupTarget<StreamEvent> {
  const unmetered = metrics.counter(providerMetrics.unmetered)
  let quietUntil = 0
  return {
    write: (group) => append(store, group),
    isRefusal,
    onRetry: (error, held) => log.warn({ error: nameOf(error), held }, 'model calls not metered, retrying'),
    onDropped: (count, reason, error) => {
      unmetered.inc({}, count)
      // A full writer drops every call: one line a second is enough.
      if (reason === 'full' && performance.now() < quietUntil) return
      quietUntil = performance.now() + 1_000
      log.error({ count, reason, ...(error === undefined ? {} : { error: nameOf(error) }) }, 'model calls not metered')
    },
  }
}

// The first stream is new: if it exists, an earlier attempt whose outcome was unknown has committed the whole group.
async function append(store: Store, [first, ...rest]: readonly StreamEvent[]): Promise<void> {
  if (first === undefined) return
  try {
    await store.transact(async (tx) => {
      await tx.append(first.stream, 0, [first.event])
      if (rest.length > 0) await tx.appendEach(rest)
    })
  } catch (error) {
    if (!(error instanceof StreamConflict)) throw error
  }
}

// Data exceptions, violated constraints, and events that do not match their schema. Any other error may not recur at the next attempt.
function isRefusal(error: unknown): boolean {
  if (error instanceof Fail) return false
  const code = codeOf(error)
  return code === undefined || /^2[23]/.test(code)
}

// The message may quote a value.
function nameOf(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.name : 'unknown')
}
