/** Bounds of the hooks of plugins. */
export interface HookSettings {
  readonly startSeconds: number
  readonly closeSeconds: number
}

/** Hooks of a start do no I/O: half a minute is a defect, not load. A close has the last seconds of a drain. */
export const defaultHooks: HookSettings = { startSeconds: 30, closeSeconds: 10 }
