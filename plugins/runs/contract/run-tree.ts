import type { SpanContentView } from '#schemas/api/span-content.ts'
import type { Usage } from '#schemas/runs/run.ts'
import type { RunMoney } from './run.ts'

/** A node of a run's tree. `spanId` is unique within it: the span id of the trace, or the id of the message, question or child run. */
export interface TreeNode {
  readonly spanId: string
  readonly kind: string
  readonly name: string
  readonly startedAt: string
  readonly durationMs: number | null
  readonly status: 'ok' | 'error' | 'running' | 'paused' | 'queued'
  readonly attributes: Readonly<Record<string, unknown>>
  /** Tokens of a model call, or of the run. */
  readonly usage: Usage | null
  readonly cost: RunMoney | null
  readonly error: NodeError | null
  /** The run itself, or the child run of a delegation. */
  readonly runId: string | null
  /** Content of the span, as the caller may see it. */
  readonly content: SpanContentView | null
  readonly children: readonly TreeNode[]
}

/** Why a node failed. */
export interface NodeError {
  readonly code: string
  readonly message: string
}

/** A part of a run's tree. `nextAfter` is the position of the next part. */
export interface RunTree {
  readonly root: TreeNode
  readonly truncated: boolean
  readonly nextAfter: number | null
  /** Nodes of the whole tree, also of other parts. */
  readonly spanCount: number
  /** The first nodes with errors of the whole tree, at most 20, without the root. */
  readonly errorSpanIds: readonly string[]
}
