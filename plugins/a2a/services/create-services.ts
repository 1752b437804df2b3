import type { Static } from 'typebox'
import type { RunsOfCallers, RunsApi } from '#plugins/runs/contract/api.ts'
import type { a2aSettings } from '../contract/settings.ts'

/** Services of the plugin, for its slots. */
export interface A2aServices {
  readonly settings: Static<typeof a2aSettings>
  /** Read per request: the services of callers belong to roles that serve them. */
  readonly runs: () => RunsOfCallers
}

/** Creates the services, without I/O. */
export function createServices(
  _core: object,
  settings: Static<typeof a2aSettings>,
  { runs }: { readonly runs: RunsApi },
): A2aServices {
  let ofCallers: RunsOfCallers | undefined
  return { settings, runs: () => (ofCallers ??= runs.ofCallers()) }
}
