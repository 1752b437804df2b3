import type { AnyPlugin } from '#core/plugin/plugin.ts'

const positions = new WeakMap<object, string>()
const owners = new WeakMap<object, string>()

/** An error whose message has the file and line of a third-party plugin. */
export class LocatedError extends Error {}

/** Remembers the position of the declaration of a third-party plugin. */
export function setPosition(plugin: AnyPlugin, at: string): void {
  positions.set(plugin, at)
}

/** A plugin in messages: `plugin runs`, of a third party with its declaration: `plugin x (/x/greeter.ts:3:9)`. */
export function pluginTitle(plugin: Pick<AnyPlugin, 'name'>): string {
  const at = positions.get(plugin)
  return `plugin ${plugin.name}${at === undefined ? '' : ` (${at})`}`
}

/** Remembers the third-party plugin that declares a value, such as a job. */
export function setOwner(value: unknown, plugin: AnyPlugin): void {
  if (positions.has(plugin) && typeof value === 'object' && value !== null) owners.set(value, pluginTitle(plugin))
}

/** ` of plugin x (/x/greeter.ts:3:9)` for a value that a third party declares, otherwise an empty string. */
export function ofOwner(value: object): string {
  const owner = owners.get(value)
  return owner === undefined ? '' : ` of ${owner}`
}
