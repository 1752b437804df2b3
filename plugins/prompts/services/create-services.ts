import type { CoreWith } from '#core/plugin/core-services.ts'
import type { StoredServices } from '#core/http/store/routes/stored-services.ts'
import type { PromptSettings } from '../contract/settings.ts'

/** Services of the plugin, for its slots. */
export interface PromptServices extends StoredServices {
  readonly settings: PromptSettings
}

/** Creates the services, without I/O. */
export function createServices(core: CoreWith<readonly ['store']>, settings: PromptSettings): PromptServices {
  const { store, observed, now } = core
  return { store, observed, now, settings, quota: settings.promptsPerNamespace, protects: settings.protectedLabels }
}
