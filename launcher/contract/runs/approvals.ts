import type { Interrupt } from '#schemas/runs/run.ts'

/** Approvals of one run: decisions about its model calls and tool calls, and pending interrupts. */
export interface Approvals {
  /** Decision about an interrupt of a guardrail or a tool call; undefined: none yet. */
  decisionOf(id: string): 'approve' | 'reject' | undefined
  /** The run pauses with this interrupt unless its agent succeeds without the call. */
  request(interrupt: Interrupt): void
  /** Requested interrupts of this attempt. */
  pending(): readonly Interrupt[]
  /** A checkpoint with the approvals so far, which the agent cannot change. `isOwn`: the agent has paused by itself. */
  seal(checkpoint: unknown, isOwn: boolean): unknown
}
