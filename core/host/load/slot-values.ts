import { isObject } from '#core/json/is-object.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { pluginTitle, setOwner } from './plugin-title.ts'
import { BootError, callSlot } from './startup-error.ts'

/** A value that a plugin declares in a slot. */
export interface DeclaredValue<T> {
  /** `plugin runs`, or `core`; with its file and line for a third-party plugin. */
  readonly owner: string
  /** Name of the plugin; undefined for core. */
  readonly plugin: string | undefined
  readonly value: T
}

/** Slots that return a list, with the fields that each value must have. */
const listSlots = {
  projections: ['name', 'version', 'tables', 'types', 'apply'],
  contributions: ['point'],
  consumers: ['name', 'types', 'handle'],
  // `checkJob` names the missing field.
  jobs: [],
  tasks: [],
  reconcilers: ['name', 'resource', 'reconcile'],
} as const satisfies Partial<Record<keyof AnyPlugin, readonly string[]>>

/** A slot that returns a list. */
export type ListSlot = keyof typeof listSlots

/**
 * Collects the values of a slot, in load order. Plugins may be untyped, so each value is checked. Throws `BootError` with the name of the
 * plugin and of the slot.
 */
export function slotValues<B extends { readonly plugin: AnyPlugin }, T extends object>(
  slot: ListSlot,
  built: readonly B[],
  read: (one: B) => readonly T[] | undefined,
): readonly DeclaredValue<T>[] {
  return built.flatMap((one) => {
    const owner = pluginTitle(one.plugin)
    const values = callSlot(one.plugin, slot, () => read(one)) ?? []
    const problem = problemOf(slot, values)
    if (problem !== undefined) throw new BootError(`${owner}: ${slot} ${problem}`)
    for (const value of values) setOwner(value, one.plugin)
    return values.map((value) => ({ owner, plugin: one.plugin.name, value }))
  })
}

/** Collects what plugins declare as data, in load order. */
export function declaredBy<T>(
  plugins: readonly AnyPlugin[],
  read: (plugin: AnyPlugin) => readonly T[] | undefined,
): readonly DeclaredValue<T>[] {
  return plugins.flatMap((plugin) => {
    const owner = pluginTitle(plugin)
    return (read(plugin) ?? []).map((value) => ({ owner, plugin: plugin.name, value }))
  })
}

/** Marks values of core, which share names with those of plugins. */
export function ofCore<T>(values: readonly T[]): readonly DeclaredValue<T>[] {
  return values.map((value) => ({ owner: 'core', plugin: undefined, value }))
}

/** The declared values, without their owners. */
export function valuesOf<T>(declared: readonly DeclaredValue<T>[]): readonly T[] {
  return declared.map(({ value }) => value)
}

function problemOf(slot: ListSlot, values: unknown): string | undefined {
  if (values instanceof Promise) {
    values.catch(() => undefined)
    return 'returned a promise; it must return a list'
  }
  if (!Array.isArray(values)) return 'must return a list'
  for (const [index, value] of values.entries()) {
    const missing = listSlots[slot].find((field) => !isObject(value) || value[field] === undefined)
    if (missing === undefined && !isObject(value)) return `returned a value that is not an object (at ${index})`
    if (missing !== undefined) return `returned a value without ${missing} (at ${index})`
  }
  return undefined
}
