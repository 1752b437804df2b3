import type { Static } from 'typebox'
import type { CoreWith } from '#core/plugin/core-services.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import { feedbackMetrics } from './contract/metrics.ts'
import type { RecordServices } from './record-score.ts'
import type { feedbackSettings } from './contract/settings.ts'

/** Services of the plugin, for its slots. */
export interface FeedbackServices extends RecordServices {
  readonly core: CoreWith<readonly ['store']>
  readonly runs: Pick<RunsApi, 'lockIn' | 'markRatedIn' | 'find'>
  /** Counts removed scores. */
  readonly removed: (scores: number) => void
}

/** Creates the services, without I/O. */
export function createServices(
  core: CoreWith<readonly ['store']>,
  settings: Static<typeof feedbackSettings>,
  { runs }: { readonly runs: RunsApi },
): FeedbackServices {
  const recorded = core.metrics.counter(feedbackMetrics.recorded)
  const removals = core.metrics.counter(feedbackMetrics.removed)
  return {
    core,
    store: core.store,
    runs,
    settings,
    now: core.now,
    counted: (labels) => recorded.inc({ ...labels }),
    removed: (scores) => removals.inc({}, scores),
  }
}
