import type { DnsLabel } from '#core/kube/names.ts'
import type { RunCosts, RunDetail } from './run.ts'
import type { TreeNode } from './run-tree.ts'
import type { LiveFrame } from './live-frame.ts'

/** Identifies a run: by its id, or as the oldest run of a trace. */
export type RunReference = { readonly runId: string } | { readonly traceId: string }

/** A run for other plugins, without content. */
export interface FoundRun {
  readonly id: string
  readonly namespace: DnsLabel
  readonly namespaceUid: string
  /** Name of its agent; null for a run without one. */
  readonly agent: string | null
  readonly traceId: string
  /** Kind of its trigger. */
  readonly trigger: string
}

/** The oldest run of a trace, with its costs. */
export interface RunOfTrace {
  readonly id: string
  readonly costs: RunCosts
}

/** What the trace policy of an agent shows of the contents of its runs: nothing, or texts without what these names stand for. */
export type ContentRule = 'hidden' | { readonly redact: readonly string[] }

/** A run of an agent that succeeded. */
export interface EndedRun {
  readonly id: string
  readonly agentUid: string
  /** Kind of its trigger. */
  readonly trigger: string
}

/** Content of a run that succeeded. */
export interface EndedContent {
  readonly input: unknown
  readonly output: unknown
  /** Names of the tools that it has called, in the order of their calls; at most 1,000. */
  readonly tools: readonly string[]
  readonly rule: ContentRule
}

/** A run at one moment: its state, its content and the beginning of its journal belong together. */
export interface RunSnapshot {
  readonly found: FoundRun
  readonly agentUid: string | null
  readonly run: RunDetail
  /** What may be copied from the contents of the run, besides secrets. */
  readonly content: ContentRule
  readonly events: readonly LiveFrame[]
  /** True if the journal exceeds the requested bounds. */
  readonly truncated: boolean
  /** Builds the span tree of the run from the given events. */
  readonly tree: (events: readonly LiveFrame[]) => TreeNode
}

/** Maximum size of the journal in a snapshot: entries, and bytes of their JSON. */
export interface SnapshotBounds {
  readonly rows: number
  readonly bytes: number
}

/** What a sealed access covers, and for how long. */
export interface SealAccessOptions {
  /** The only run that it covers. Default: every run of the reviewed namespace. */
  readonly runId?: string | undefined
  /** Default: an hour. At most a day. */
  readonly expiresInSeconds?: number | undefined
}

/**
 * A sealed proof that a caller may `get runs`, to be stored and used later by a job or task. A string of this installation, valid until it expires, for
 * the namespace with the uid that it had.
 */
export type SealedAccess = string

/** A run in a list, as the key of the next page. */
export interface RunPosition {
  readonly id: string
  readonly createdAt: Date
  /** Name of its agent; null for a run without one. */
  readonly agent: string | null
  /** Kind of its trigger. */
  readonly trigger: string
}

/** Agent of a run. */
export interface AgentAbove {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}
