/** Maximum body of an export from a launcher to the state role. */
export const MAX_SPAN_BATCH_BYTES = 4 * 1024 * 1024

/** `spec.tracePolicy` of an agent with its defaults. */
export interface AppliedTracePolicy {
  readonly capture: 'full' | 'metadata' | 'none'
  readonly redact: readonly string[]
  /** Sample rate of traces, from 0 to 1. */
  readonly sampleRate: number
}

/** Part of the launcher's configuration that the plugin `traces` writes. */
export interface LauncherTraces extends AppliedTracePolicy {
  /** Whether spans are sent to the state role. */
  readonly store: boolean
  /** Whether content goes to the OTLP backend, too. Absent in configurations of earlier versions: no. */
  readonly exportContent?: boolean
}
