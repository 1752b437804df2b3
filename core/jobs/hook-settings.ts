/** Bounds of the hooks of plugins. */
export interface HookSettings {
  readonly startSeconds: number
  readonly closeSeconds: number
  readonly applySeconds: number
}

/**
 * Startup hooks do no I/O: half a minute means a defect, not load. A close hook gets the last seconds of a drain, and a projection the time of
 * one statement.
 */
export const defaultHooks: HookSettings = { startSeconds: 30, closeSeconds: 10, applySeconds: 30 }
