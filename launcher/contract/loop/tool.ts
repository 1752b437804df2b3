import type { Span } from '#core/telemetry/tracer.ts'
import type { EntryKind } from '#schemas/runs/run.ts'
import type { Approvals } from '../runs/approvals.ts'
import type { ToolDefinition } from './chat-messages.ts'

/** Context of a tool call. */
export interface ToolScope {
  readonly runId: string
  readonly span: Span
  /** Parent of the span. */
  readonly parentSpanId?: string
  readonly signal: AbortSignal
  /** What the run may wait for; undefined: it cannot wait. */
  readonly approvals?: Approvals | undefined
  emit(kind: EntryKind, data: Readonly<Record<string, unknown>>): void
}

/**
 * Thrown by a tool that cannot be called before the subject has consented. It has requested an interrupt, and the call is made again when the run
 * resumes.
 */
export class ConsentAwaited extends Error {
  override readonly name = 'ConsentAwaited'
}

/** A tool that the loop calls itself. Another thrown error is returned to the model as the result. */
export interface Tool {
  readonly definition: ToolDefinition
  /** Offered without an entry in `tools`: another part of the spec enables it. */
  readonly always?: true
  /** A call waits for approval, whatever the entries of `tools` say. */
  readonly requiresApproval?: boolean
  run(args: Readonly<Record<string, unknown>>, scope: ToolScope): Promise<unknown>
}

/** Returns a string argument; throws an error with its name. */
export function text(args: Readonly<Record<string, unknown>>, name: string, absent?: string): string {
  const value = args[name] ?? absent
  if (typeof value !== 'string' || value === '') throw new Error(`${name} must be a string`)
  return value
}
