import type { Pod } from '../../contract/listener.ts'
import type { RunRegistry } from '../../runs/run-registry.ts'
import type { Supervision } from '../../supervise/supervision.ts'

/** Reasons in the response to the readiness probe. */
export const unreadyReasons = ['draining', 'no_certificate', 'agent_not_ready'] as const

/** Why a launcher is not ready. */
export type UnreadyReason = (typeof unreadyReasons)[number]

/** Readiness: `ok`, or why no run may be sent to this launcher. */
export type Health = 'ok' | UnreadyReason

/** Parts of the launcher's own listener, which starts and ends runs, in addition to those of every pod. */
export interface LauncherPod extends Pod {
  readonly registry: RunRegistry
  readonly supervision: Supervision
  readonly health: () => Promise<Health>
}
