import { BootError } from './startup-error.ts'
import type { AnyPlugin, OptionalNeed } from '#core/plugin/plugin.ts'

/** One dependency of a plugin. */
export interface Need {
  readonly key: string
  readonly plugin: AnyPlugin
  readonly optional: boolean
}

/** Dependencies of a plugin, by the key under which `create` receives them. */
export function needsOf(plugin: AnyPlugin): readonly Need[] {
  return Object.entries(plugin.needs ?? {}).map(([key, need]) =>
    isOptional(need) ? { key, plugin: need.optional, optional: true } : { key, plugin: need, optional: false },
  )
}

function isOptional(need: AnyPlugin | OptionalNeed): need is OptionalNeed {
  return 'optional' in need
}

/**
 * Order in which plugins are created: dependencies first, otherwise as listed. Throws for a duplicate name, a missing dependency and a
 * cycle, which is reported as a path.
 */
export function loadOrder(plugins: readonly AnyPlugin[]): readonly AnyPlugin[] {
  const listed = new Map<string, AnyPlugin>()
  for (const plugin of plugins) {
    if (listed.has(plugin.name)) throw new BootError(`plugin ${plugin.name} is listed twice`)
    listed.set(plugin.name, plugin)
  }
  const ordered = new Map<string, AnyPlugin>()
  for (const plugin of plugins) visit(plugin, [], { listed, ordered })
  return [...ordered.values()]
}

interface Walk {
  readonly listed: ReadonlyMap<string, AnyPlugin>
  readonly ordered: Map<string, AnyPlugin>
}

function visit(plugin: AnyPlugin, path: readonly string[], walk: Walk): void {
  if (walk.ordered.has(plugin.name)) return
  const here = [...path, plugin.name]
  if (path.includes(plugin.name))
    throw new BootError(`plugins depend on each other: ${here.slice(here.indexOf(plugin.name)).join(' -> ')}`)
  for (const need of needsOf(plugin)) {
    const found = walk.listed.get(need.plugin.name)
    if (found !== undefined) visit(found, here, walk)
    else if (!need.optional)
      throw new BootError(
        `plugin ${plugin.name} needs ${need.plugin.name}, which is not listed (${[...here, need.plugin.name].join(' -> ')})`,
      )
  }
  walk.ordered.set(plugin.name, plugin)
}
