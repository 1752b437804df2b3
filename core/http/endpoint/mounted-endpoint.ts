import type { AnyEndpoint } from './endpoint.ts'

/** `ready` is served, `unwired` returns 501, `hidden` returns 404 as if it did not exist. */
export type Wiring = 'ready' | 'unwired' | 'hidden'

/** A mounted endpoint. */
export interface MountedEndpoint {
  readonly plugin: string
  /** Id of the part to which it belongs, among the capabilities; default: that of the plugin. */
  readonly capability?: string
  readonly wiring: Wiring
  /** Why it is unavailable: disabled, or a dependency is not configured. */
  readonly reason?: 'disabled' | 'unconfigured'
  /** Setting that makes it available, if one does. */
  readonly setting?: string
  /** `/api`, or `/api/x/<name>` for a third party. */
  readonly prefix: string
  readonly endpoint: AnyEndpoint
}
