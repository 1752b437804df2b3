import type { Logger } from '#core/log/logger.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { LiveUpdates } from '../stream/live-frame.ts'
import type { Claim } from '../store/internal/lease.ts'
import type { SelectedRun } from '../store/tables.ts'
import type { RunWriter } from '../lifecycle/run-writer.ts'
import type { FaultCause } from './agent-fault.ts'
import type { Launchers } from './choose-launcher.ts'
import type { RunLimits } from './limits.ts'

/** What driving a run needs; every member is a port of the worker role. */
export interface WorkerServices {
  readonly store: Store
  readonly writer: RunWriter
  readonly live: LiveUpdates
  readonly log: Logger
  /** Undefined without a collector. */
  readonly tracer?: Tracer | undefined
  /** The launchers of the run's agent, as the holder of this claim may speak to them. */
  launchersOf(run: SelectedRun, grant: () => string, claim: Claim): Launchers
  /** Whether the subject may still invoke the agent, with the run's grant, renewed where it runs out (an older state role: none). */
  recheck(run: SelectedRun, epoch: number): Promise<{ readonly allowed: boolean; readonly grant?: string }>
  /** How long an agent may have no address or refuse connections before its run fails. */
  readonly unreachableAfterMs: number
  /** How long a busy agent is asked for a place before its run makes room for others in the worker. */
  readonly busyPatienceMs: number
  /** How long a cancelled run may take to stop before it ends without its launcher. */
  readonly cancelPatienceMs: number
  /** How long a launcher may have a segment of a run before the run ends without it. */
  readonly agentTimeoutMs: number
  readonly limits: RunLimits
  /** Failed drives without progress after which a run ends. */
  readonly driveTries: number
  /** Pause after the first failed drive; it doubles with each, up to a minute. */
  readonly retryMs: number
  /** Counts a run that was ended because of what its agent sent, or after too many failed drives. */
  readonly faulted?: (cause: FaultCause) => void
}
