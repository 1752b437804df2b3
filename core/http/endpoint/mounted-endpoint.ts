import type { AnyEndpoint } from './endpoint.ts'

/** `ready` serves, `unwired` answers 501, `hidden` answers 404 as if it did not exist. */
export type Wiring = 'ready' | 'unwired' | 'hidden'

/** An endpoint as mounted. */
export interface MountedEndpoint {
  readonly plugin: string
  readonly wiring: 'ready' | 'unwired' | 'hidden'
  /** Why it is not ready: switched off, or something it needs is not configured. */
  readonly reason?: 'disabled' | 'unconfigured'
  /** `/api`, or `/api/x/<name>` for a third party. */
  readonly prefix: string
  readonly endpoint: AnyEndpoint
}
