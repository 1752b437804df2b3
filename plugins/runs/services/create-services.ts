import type { Static } from 'typebox'
import { terminalStates } from '#schemas/runs/run.ts'
import type { Core, CoreWith } from '#core/plugin/core-services.ts'
import type { Store } from '#core/event-store/store.ts'
import type { LiveUpdates } from '../contract/live-frame.ts'
import { createLiveUpdates } from '../stream/live-updates.ts'
import { runContents } from '../contract/points.ts'
import { runMetrics } from '../contract/metrics.ts'
import type { ExceededQuota } from '../create/quotas.ts'
import { createRunWatch } from '../stream/run-watch.ts'
import type { RunWatch } from '../stream/run-watch.ts'
import { createCallerRuns } from '../callers/caller-runs.ts'
import type { CallerRuns } from '../contract/caller-runs.ts'
import type { runsSettings } from '../contract/settings.ts'
import { createRunWriter, nameOfRun } from '../lifecycle/run-writer.ts'
import type { RunWriter, StateChange } from '../lifecycle/run-writer.ts'

/** Services of the plugin, for its slots. */
export interface RunsServices {
  readonly core: Core
  readonly settings: Static<typeof runsSettings>
  readonly store: Store
  readonly live: LiveUpdates
  readonly watch: RunWatch
  readonly writer: RunWriter
  /** Counts a run that a quota refused. */
  readonly refused: (quota: ExceededQuota) => void
  /** Creates a counter of removed runs. */
  readonly removed: (reason: 'retention' | 'namespace' | 'erasure') => (runs: number) => void
}

/** Services of a role that serves callers. */
export interface CallerRunsServices extends RunsServices {
  readonly runs: CallerRuns
}

/** Creates the services, without I/O. */
export function createServices(
  core: CoreWith<readonly ['store']>,
  settings: Static<typeof runsSettings>,
): RunsServices {
  const { store } = core
  const live = createLiveUpdates(core.bus)
  const writer = createRunWriter(store, { live, now: core.now, entered: observeStates(core) })
  const refusals = core.metrics.counter(runMetrics.refused)
  const refused = (quota: ExceededQuota): void => refusals.inc({ quota })
  const removals = core.metrics.counter(runMetrics.removed)
  const removed: RunsServices['removed'] = (reason) => (runs) => removals.inc({ reason }, runs)
  return { core, settings, store, live, watch: createRunWatch(store), writer, refused, removed }
}

/** Counts states and ends, and logs each failed run: ids and the reason, no content. */
export function observeStates({ metrics, log }: Pick<Core, 'metrics' | 'log'>): (change: StateChange) => void {
  const transitions = metrics.counter(runMetrics.transitions)
  const finished = metrics.counter(runMetrics.finished)
  return ({ run, state, failReason, launcher }) => {
    transitions.inc({ state })
    if (terminalStates.has(state)) finished.inc({ state, reason: failReason ?? 'none' })
    if (state !== 'failed' && state !== 'timed_out') return
    const agent = `${run.namespace}/${nameOfRun(run)}`
    log.warn({ runId: run.id, agent, reason: failReason ?? state, launcher }, 'run failed')
  }
}

/** Adds the runs of callers for a role that serves them. */
export function withCallerRuns(services: RunsServices): CallerRunsServices {
  const { core } = services
  const contents = () => core.extensions(runContents)[0]
  return { ...services, runs: createCallerRuns({ ...services, observed: core.observed, contents }) }
}
