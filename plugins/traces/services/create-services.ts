import type { CoreWith } from '#core/plugin/core-services.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import { tracesMetrics } from '../contract/metrics.ts'
import type { TracesSettings } from '../contract/settings.ts'

/** Outcome of received spans. */
export type SpanOutcome = 'stored' | 'malformed' | 'foreign_trace' | 'over_quota'

/** Services of the plugin, for its slots. */
export interface TracesServices {
  readonly core: CoreWith<readonly ['store']>
  readonly runs: Pick<RunsApi, 'costsOf' | 'find' | 'heldTracesIn' | 'ofTraces'>
  readonly settings: TracesSettings
  readonly received: (outcome: SpanOutcome, spans: number) => void
  readonly removed: (reason: 'expired' | 'agent_deleted' | 'run_deleted', chunks: number) => void
}

/** Creates the services, without I/O. */
export function createServices(
  core: CoreWith<readonly ['store']>,
  settings: TracesSettings,
  { runs }: { readonly runs: RunsApi },
): TracesServices {
  const spans = core.metrics.counter(tracesMetrics.spans)
  const chunks = core.metrics.counter(tracesMetrics.removed)
  return {
    core,
    runs,
    settings,
    received: (outcome, count) => count > 0 && spans.inc({ outcome }, count),
    removed: (reason, count) => count > 0 && chunks.inc({ reason }, count),
  }
}
