import type { Store } from '#core/event-store/store.ts'
import type { Core, CoreWith } from '#core/plugin/core-services.ts'
import type { DatasetsApi } from '#plugins/datasets/contract/api.ts'
import type { FeedbackApi } from '#plugins/feedback/contract/api.ts'
import type { RecordingApi } from '#plugins/recording/contract/api.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import { suiteEvaluator } from './points.ts'
import type { Evaluator } from './points.ts'
import type { EvalsSettings } from './settings.ts'

/** Services of the plugin, for its slots. */
export interface EvalsServices {
  readonly core: CoreWith<readonly ['store']>
  readonly store: Store
  readonly runs: RunsApi
  readonly datasets: DatasetsApi
  readonly recording: RecordingApi
  readonly feedback: FeedbackApi | undefined
  readonly settings: EvalsSettings
  readonly now: () => Date
  readonly evaluators: () => readonly Evaluator[]
}

/** What the executor of evaluations needs. */
export interface ExecutionServices extends Pick<EvalsServices, 'store' | 'now' | 'evaluators'> {
  readonly core: ScoringCore
  readonly datasets: Pick<DatasetsApi, 'readCases'>
}

/** What scoring an output needs: evaluators may call services outside. */
export interface ScoringCore {
  readonly log: Pick<Core['log'], 'warn'>
  readonly outbound: Pick<Core['outbound'], 'request'>
}

/** Creates the services, without I/O. */
export function createServices(
  core: CoreWith<readonly ['store']>,
  settings: EvalsSettings,
  needs: Pick<EvalsServices, 'runs' | 'datasets' | 'recording' | 'feedback'>,
): EvalsServices {
  const { store, now } = core
  return { core, settings, store, now, ...needs, evaluators: () => core.extensions(suiteEvaluator) }
}
