/** Bounds of the hooks of plugins. */
export interface HookSettings {
  readonly startSeconds: number
  readonly closeSeconds: number
  readonly applySeconds: number
}

/** Hooks of a start do no I/O: half a minute is a defect, not load. A close has the last seconds of a drain. A projection has the time of one statement. */
export const defaultHooks: HookSettings = { startSeconds: 30, closeSeconds: 10, applySeconds: 30 }
