import type { Access, Caller } from '#core/cluster/caller.ts'
import type { CoreWith } from '#core/plugin/core-services.ts'
import type { FoundRun, RunsApi } from '#plugins/runs/contract/api.ts'
import { recordingMetrics } from './contract/metrics.ts'
import type { RecordingSettings } from './contract/settings.ts'
import type { PartServices } from './store/store-part.ts'

/** Services of the plugin, for its slots. */
export interface RecordingServices extends PartServices {
  readonly core: CoreWith<readonly ['store']>
  /** Finds the run whose recording a caller may read. Throws `not_found` for a run that the caller may not `get`, else `forbidden`. */
  readonly reviewFixture: (caller: FixtureReader, runId: string) => Promise<ReviewedFixture>
  readonly removed: (reason: 'retention' | 'run') => void
}

/** A caller of the API. */
export type FixtureReader = Pick<Caller, 'may' | 'review'>

/** A run, and the proof that its recording may be read. */
export interface ReviewedFixture {
  readonly run: FoundRun
  readonly access: Access<'get', 'runs/fixture'>
}

/** Creates the services, without I/O. */
export function createServices(
  core: CoreWith<readonly ['store']>,
  settings: RecordingSettings,
  { runs }: { readonly runs: RunsApi },
): RecordingServices {
  const parts = core.metrics.counter(recordingMetrics.parts)
  const bytes = core.metrics.counter(recordingMetrics.bytes)
  const removals = core.metrics.counter(recordingMetrics.removed)
  return {
    core,
    store: core.store,
    runs,
    settings,
    reviewFixture: async (caller, runId) => {
      const run = await runs.find(caller, { runId })
      return { run, access: await caller.review('get', 'runs/fixture', { namespace: run.namespace, name: run.id }) }
    },
    counted: (outcome, size = 0) => {
      parts.inc({ outcome })
      if (size > 0) bytes.inc({}, size)
    },
    removed: (reason) => removals.inc({ reason }),
  }
}
