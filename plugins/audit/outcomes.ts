import type { Core } from '#core/host/core.ts'
import type { Outcome, OutcomeSink } from '#core/http/points.ts'
import type { NewEvent } from '#core/events/event.ts'
import { isTransient } from '#core/events/dead-letter.ts'
import { uuidV7 } from '#core/store/uuid-v7.ts'
import { auditOutcome } from './events.ts'
import { auditMetrics } from './metrics.ts'
import { toRow } from './rows.ts'

const flushMs = 50
const flushSize = 500
// Above this the store has been away for long: further outcomes are counted and logged, memory stays bounded (A6).
const bufferSize = 10_000
const retryMs = 1_000

/** Collects outcomes of requests and appends them in batches; nothing on the request path waits. */
export interface Outcomes extends OutcomeSink {
  /** Writes what is left; what cannot be written then is dropped. */
  close(): Promise<void>
}

type Event = NewEvent & { readonly id: string; readonly time: Date }

/**
 * The sink of outcomes. Each has its id before the first attempt, so that one whose COMMIT was in doubt is written once (A4).
 * While the store is away they wait; every dropped one is counted and becomes a line with its id (A1). Without a store there is
 * the line alone.
 */
export function createOutcomes(core: Pick<Core, 'store' | 'log' | 'metrics' | 'now'>): Outcomes {
  const { store } = core
  const dropped = core.metrics.counter(auditMetrics.droppedRows)
  const waiting: Event[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<boolean> | undefined

  const drop = (events: readonly Event[]): void => {
    for (const event of events) {
      dropped.inc()
      core.log.error({ dropped: true }, auditLine(event))
    }
  }
  // True when nothing waits any more. An outcome leaves the buffer after its COMMIT only.
  const writeAll = async (): Promise<boolean> => {
    let size = flushSize
    while (waiting.length > 0) {
      const events = waiting.slice(0, size)
      try {
        await store?.transact((tx) => tx.append('audit/outcomes', 'any', events))
        waiting.splice(0, events.length)
      } catch (error) {
        core.log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'outcomes were not written')
        if (isTransient(error)) return false
        // One that no store takes must not hold up the others.
        if (events.length === 1) drop(waiting.splice(0, 1))
        else size = 1
      }
    }
    return true
  }
  const flush = (): Promise<boolean> => {
    clearTimeout(timer)
    timer = undefined
    writing ??= writeAll().then((done) => {
      writing = undefined
      if (waiting.length > 0) schedule(done ? flushMs : retryMs)
      return done
    })
    return writing
  }
  const schedule = (ms: number): void => {
    timer ??= setTimeout(() => void flush(), ms)
  }

  return {
    record(outcome) {
      const event = toEvent(outcome, core.now())
      if (store === undefined) return core.log.info({}, auditLine(event))
      if (waiting.length >= bufferSize) return drop([event])
      waiting.push(event)
      if (waiting.length === flushSize) void flush()
      else schedule(flushMs)
    },
    async close() {
      await writing
      await flush()
      clearTimeout(timer)
      drop(waiting.splice(0))
    },
  }
}

function toEvent(outcome: Outcome, time: Date): Event {
  const { actor, action, resourceKind, namespace, name, traceparent, code, object } = outcome
  return {
    id: uuidV7(),
    type: auditOutcome,
    time,
    subject: { namespace, kind: resourceKind, name: name ?? '' },
    actor: { name: actor, kind: actor.startsWith('system:') ? 'system' : 'user' },
    traceparent,
    data: { action, resourceKind, outcome: outcome.outcome, ...(code === undefined ? {} : { code }), ...object },
  }
}

/** The greppable line, with the columns of the row that was not written. */
function auditLine(event: Event): string {
  const row = toRow({ ...event, type: event.type.type }, new Map())
  const { key: _key, eventKey: _event, exact: _exact, id: _id, ...columns } = row ?? {}
  return `mesh_audit ${JSON.stringify({ event_id: event.id, ...columns })}`
}
