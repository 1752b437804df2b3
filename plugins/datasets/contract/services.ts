import type { CoreWith } from '#core/plugin/core-services.ts'
import type { Store } from '#core/event-store/store.ts'
import type { FeedbackApi } from '#plugins/feedback/contract/api.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import type { DatasetsSettings } from './settings.ts'

/** What writes of datasets need. */
export interface WriteServices {
  readonly store: Store
  readonly settings: DatasetsSettings
  readonly now: () => Date
}

/** Services of the plugin, for its slots. */
export interface DatasetsServices extends WriteServices {
  readonly core: CoreWith<readonly ['store']>
  readonly runs: RunsApi
  /** Undefined while the plugin feedback is disabled. */
  readonly feedback: FeedbackApi | undefined
}
