import { within } from '#core/async/within.ts'
import { defaultHooks } from '#core/jobs/hook-settings.ts'
import type { HookSettings } from '#core/jobs/hook-settings.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { LocatedError, pluginTitle } from './plugin-title.ts'

/** An error at startup; the message names the plugin. */
export class BootError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BootError'
  }
}

/** Maximum duration of a hook, and the setting that changes it. */
export interface HookBound {
  readonly seconds: number
  readonly setting: string
}

/** Bound of hooks that run while a role starts. */
export function startBound({ startSeconds }: HookSettings = defaultHooks): HookBound {
  return { seconds: startSeconds, setting: 'pluginHooks.startSeconds' }
}

/** Bound of hooks that run while a role closes. */
export function closeBound({ closeSeconds }: HookSettings = defaultHooks): HookBound {
  return { seconds: closeSeconds, setting: 'pluginHooks.closeSeconds' }
}

/** Runs a step of a plugin within its bound. Its error names the plugin and the step. */
export async function asPlugin<T>(
  plugin: string | AnyPlugin,
  step: string,
  run: () => T | Promise<T>,
  bound: HookBound = startBound(),
): Promise<T> {
  const late = (): Error => lateHook(`${titleOf(plugin)}: ${step}`, bound)
  const hook = async (): Promise<T> => run()
  try {
    return await within(bound.seconds * 1_000, hook(), late)
  } catch (error) {
    throw ofPlugin(plugin, step, error)
  }
}

/** The error of a hook that exceeds its bound: `plugin x: create did not end within 30 s`. */
export function lateHook(hook: string, { seconds, setting }: HookBound): BootError {
  return new BootError(`${hook} did not end within ${seconds} s (the setting ${setting})`)
}

/** Calls a slot of a plugin. Its error names the plugin and the slot. */
export function callSlot<T>(plugin: string | AnyPlugin, slot: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw ofPlugin(plugin, slot, error)
  }
}

function titleOf(plugin: string | AnyPlugin): string {
  return typeof plugin === 'string' ? `plugin ${plugin}` : pluginTitle(plugin)
}

function ofPlugin(plugin: string | AnyPlugin, step: string, error: unknown): BootError {
  if (error instanceof BootError) return error
  // One position is enough: that of the error.
  const isLocated = error instanceof LocatedError && typeof plugin !== 'string'
  return new BootError(
    `${isLocated ? `plugin ${plugin.name}` : titleOf(plugin)}: ${step} failed: ${error instanceof Error ? error.message : String(error)}`,
    error,
  )
}
