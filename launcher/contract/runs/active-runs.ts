import type { Trace } from '#core/telemetry/traceparent.ts'
import type { EntryKind, Usage } from '#schemas/runs/run.ts'
import type { Approvals } from './approvals.ts'
import type { RunOrigin } from './run-origin.ts'

/** The active runs of the launcher, as a listener sees them: it can report on them, but neither start nor end one. */
export interface ActiveRuns {
  /** Ids of active runs. */
  active(): readonly string[]
  /** Appends an entry to the journal of an active run; ignored for other runs. */
  emit(runId: string | undefined, kind: EntryKind, data: Readonly<Record<string, unknown>>, spanId: string): void
  /** Span of an active run, the parent of requests of its agent; undefined for other runs. */
  traceOf(runId: string): Trace | undefined
  /** Origin of an active run, for calls of its agent to other agents; undefined for other runs. */
  originOf(runId: string): RunOrigin | undefined
  /** Approvals of an active run; undefined for other runs, and if neither guardrails nor tool calls may pause it. */
  approvalsOf(runId: string | undefined): Approvals | undefined
  /** Adds the usage of a model call to an active run and appends an entry; ignored for other runs. */
  report(runId: string | undefined, usage: Usage, data: Readonly<Record<string, unknown>>, spanId: string): void
}
