/** A node of a run's tree. `spanId` is unique within it: the span id of the trace, or the id of the message, question or child run. */
export interface TreeNode {
  readonly spanId: string
  readonly kind: string
  readonly name: string
  readonly startedAt: string
  readonly durationMs: number | null
  readonly status: 'ok' | 'error' | 'running' | 'paused' | 'queued'
  readonly attributes: Readonly<Record<string, unknown>>
  readonly children: readonly TreeNode[]
}
/** A part of a run's tree. `nextAfter` is the position of the next part. */

export interface RunTree {
  readonly root: TreeNode
  readonly truncated: boolean
  readonly nextAfter: number | null
}
