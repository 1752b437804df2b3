import type { Logger } from '#core/log/logger.ts'
import type { Store } from '#core/store/store.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { Live } from '../live.ts'
import type { Claim } from '../store/system.ts'
import type { SelectedRun } from '../store/tables.ts'
import type { RunWriter } from '../write.ts'
import type { Launchers } from './launchers.ts'

/** What driving a run needs; every member is a port of the worker role. */
export interface DriveServices {
  readonly store: Store
  readonly writer: RunWriter
  readonly live: Live
  readonly log: Logger
  /** Undefined without a collector. */
  readonly tracer?: Tracer | undefined
  /** The launchers of the run's agent, as the holder of this claim may speak to them. */
  launchersOf(run: SelectedRun, grant: string, claim: Claim): Launchers
  /** Whether the subject may still invoke the agent, asked before a run goes on that was idle for over an hour. */
  recheck(run: SelectedRun, epoch: number): Promise<boolean>
  /** How long an agent may have no address or refuse connections before its run fails. */
  readonly unreachableAfterMs: number
  /** How long a busy agent is asked for a place before its run makes room for others in the worker. */
  readonly busyPatienceMs: number
}
