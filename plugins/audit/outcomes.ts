import type { Core } from '#core/host/core.ts'
import type { Outcome, OutcomeSink } from '#core/http/points.ts'
import type { NewEvent } from '#core/events/event.ts'
import { auditOutcome } from './events.ts'

const flushMs = 50
const flushSize = 500
// Above this the store has been away for long: further rows are counted and logged, memory stays bounded.
const bufferSize = 10_000

/** Collects outcomes of requests and appends them in batches; nothing on the request path waits. */
export interface Outcomes extends OutcomeSink {
  /** Writes what is left; called at close. */
  flush(): Promise<void>
}

/** The sink of denied, failed and attributed mutations. Without a store it is only the greppable line. */
export function createOutcomes(core: Core): Outcomes {
  const dropped = core.metrics.counter('mesh_audit_dropped_rows_total', 'Audit rows that were dropped.')
  const waiting: NewEvent[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const drop = (events: readonly NewEvent[]): void => {
    for (const event of events) {
      dropped.inc()
      logLine(core, event)
    }
  }
  const write = async (events: readonly NewEvent[]): Promise<void> => {
    try {
      await core.store?.transact((tx) => tx.append(`audit/outcomes`, 'any', events))
    } catch {
      drop(events)
    }
  }
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const events = waiting.splice(0)
    if (events.length > 0) writing = writing.then(() => write(events))
    return writing
  }
  return {
    flush,
    record(outcome) {
      const event = toEvent(outcome, core.now())
      if (!core.store) return logLine(core, event)
      if (waiting.length >= bufferSize) return drop([event])
      waiting.push(event)
      if (waiting.length >= flushSize) void flush()
      else timer ??= setTimeout(flush, flushMs)
    },
  }
}

function toEvent(outcome: Outcome, time: Date): NewEvent {
  const { actor, action, resourceKind, namespace, name, traceId, code, object } = outcome
  return {
    type: auditOutcome,
    time,
    subject: { namespace, kind: resourceKind, name: name ?? '' },
    actor: { name: actor, kind: 'user' },
    traceparent: `00-${traceId}-${traceId.slice(0, 16)}-01`,
    data: { action, resourceKind, outcome: outcome.outcome, ...(code ? { code } : {}), ...object },
  }
}

function logLine(core: Core, event: NewEvent): void {
  const { subject, actor, data, time } = event
  core.log.info(
    { mesh_audit: { occurred_at: time, actor: actor?.name, ...subject, ...(data as object) } },
    'mesh_audit',
  )
}
