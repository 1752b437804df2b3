import { accountActor } from '#core/event-store/event.ts'
import type { NewEvent } from '#core/event-store/event.ts'
import type { Intent, Outcome } from '#core/http/endpoint/extension-points.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { toAuditEvent } from '../rows/audit-event.ts'
import { requestOutcome } from '#core/http/audit/events.ts'
import { toAuditRow } from '../rows/audit-row.ts'
import type { IntendedAct } from '../store/intents.ts'

/** An outcome as an event. The id exists before the first attempt, so that an outcome with a COMMIT in doubt is written once (A4). */
export type OutcomeEvent = NewEvent & { readonly id: string; readonly time: Date }

/** Waits for the store: an intent, or the outcome of an act. */
export type OutcomeEntry = { readonly intent: IntendedAct } | { readonly event: OutcomeEvent }

/** The event of an outcome. */
export function toOutcomeEvent(outcome: Outcome, time: Date): OutcomeEvent {
  const { actor, action, resourceKind, namespace, name, traceparent, code, object, intent, auditId, change } = outcome
  const { way, persona, count = 1 } = outcome
  const reported = {
    ...(code === undefined ? {} : { code }),
    ...(intent === undefined ? {} : { intent }),
    ...(auditId === undefined ? {} : { auditId }),
    ...(change === undefined ? {} : { change }),
    ...(way === undefined ? {} : { way }),
    ...(persona === undefined ? {} : { persona }),
    ...(count === 1 ? {} : { count }),
  }
  return {
    id: uuidV7(),
    type: requestOutcome,
    time,
    subject: { namespace, kind: resourceKind, name: name ?? '' },
    ...(actor === undefined ? {} : { actor: accountActor(actor) }),
    traceparent,
    data: { action, resourceKind, outcome: outcome.outcome, ...reported, ...object },
  }
}

/** The row of an intent. */
export function toIntended(intent: Intent, time: Date): IntendedAct {
  const { id, actor, action, resourceKind, namespace, name, traceparent } = intent
  return {
    id,
    intended_at: time,
    actor,
    action,
    resource_kind: resourceKind,
    resource_name: name ?? '',
    namespace: namespace ?? null,
    traceparent,
  }
}

/** The outcome of an intent that was never settled. Its id depends on the intent only, so it is recorded once (A2). */
export function toUnknown(intent: IntendedAct): OutcomeEvent {
  const { id, actor, action, resource_kind: resourceKind, resource_name: name, namespace, traceparent } = intent
  return {
    id: `unknown/${id}`,
    type: requestOutcome,
    time: intent.intended_at,
    subject: { namespace: namespace ?? undefined, kind: resourceKind, name },
    actor: accountActor(actor),
    ...(traceparent === null ? {} : { traceparent }),
    data: { action, resourceKind, outcome: 'error', intent: id, reason: 'unknown' },
  }
}

/** One line of the spool, references only. Times are in milliseconds, since formatting a date costs more than everything else. */
export function encode(entry: OutcomeEntry): string {
  if ('intent' in entry) return `${JSON.stringify(entry)}\n`
  const { type: _type, time, ...event } = entry.event
  return `${JSON.stringify({ event: { ...event, time: time.getTime() } })}\n`
}

/** Parses a line of the spool. Returns undefined for a line that a crash of the machine truncated. */
export function decodeEntry(line: string): OutcomeEntry | undefined {
  try {
    // Written by `encode` into a file that only this user may write.
    const entry = JSON.parse(line) as OutcomeEntry
    if ('intent' in entry) return { intent: { ...entry.intent, intended_at: new Date(entry.intent.intended_at) } }
    return { event: { ...entry.event, type: requestOutcome, time: new Date(entry.event.time) } }
  } catch {
    return undefined
  }
}

/** The log line of a row that was not written, with its fields. */
export function auditLine(entry: OutcomeEntry): string {
  const event = 'intent' in entry ? toUnknown(entry.intent) : entry.event
  const row = toAuditRow({ ...event, type: event.type.type }, new Map())
  const { id: _id, ...fields } = row === undefined ? {} : toAuditEvent(row)
  return `mesh_audit ${JSON.stringify({ event_id: event.id, ...fields })}`
}
