import type { DnsLabel } from '#core/kube/names.ts'
import type { RunDetail } from './run.ts'
import type { TreeNode } from './run-tree.ts'
import type { LiveFrame } from './live-frame.ts'

/** Names a run: by its id, or by its trace, whose oldest run is meant. */
export type RunReference = { readonly runId: string } | { readonly traceId: string }

/** A run for other plugins, without content. */
export interface FoundRun {
  readonly id: string
  readonly namespace: DnsLabel
  readonly namespaceUid: string
  /** Name of its agent; null for a run without one. */
  readonly agent: string | null
  readonly traceId: string
}

/** A run at one moment: its state, its content and the beginning of its journal belong together. */
export interface RunSnapshot {
  readonly found: FoundRun
  readonly agentUid: string | null
  readonly run: RunDetail
  readonly events: readonly LiveFrame[]
  /** The journal was longer than asked for. */
  readonly truncated: boolean
  /** The span tree of the run, built from these of its events. */
  readonly tree: (events: readonly LiveFrame[]) => TreeNode
}

/** Most of a journal that a snapshot holds: entries, and bytes of their JSON. */
export interface SnapshotBounds {
  readonly rows: number
  readonly bytes: number
}

/** Agent of a run. */
export interface AgentAbove {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}
