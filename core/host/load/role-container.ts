import { absentApi, absentStore } from './unconfigured-store.ts'
import { asPlugin, BootError, callSlot, closeBound, startBound } from './startup-error.ts'
import type { HookBound } from './startup-error.ts'
import type { HookSettings } from '#core/jobs/hook-settings.ts'
import { pointNames, checkContributions, refuseUnownedPoints } from './check-points.ts'
import type { OwnedContribution } from './check-points.ts'
import { pluginTitle } from './plugin-title.ts'
import { slotValues } from './slot-values.ts'
import type { Core, CoreWith, Requirement, PluginAvailability } from '#core/plugin/core-services.ts'
import { keyringFor, refuseMissingKeys } from './plugin-keys.ts'
import { needsOf } from './load-order.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import { createSealed } from '#core/signing/sealed.ts'

/** A plugin as created for one role. */
export interface Built {
  readonly plugin: AnyPlugin
  readonly wired: PluginAvailability
  readonly services: object
}

/** The plugins of one role. Each role of a process has its own container and shares no object with others. */
export interface RoleContainer {
  /** Plugins in load order. */
  readonly built: readonly Built[]
  readonly contributions: readonly OwnedContribution[]
  /** Closes plugins in reverse load order; an error does not stop the others. */
  close(): Promise<void>
}

/** Input of a container. */
export interface ContainerInput {
  readonly core: Core
  /** Keys of the process. */
  readonly keys: Keyring
  readonly ordered: readonly AnyPlugin[]
  readonly slices: ReadonlyMap<string, unknown>
  readonly wired: ReadonlyMap<string, PluginAvailability>
  readonly hooks?: HookSettings
}

/** Creates every plugin in load order (ADR 0049). If one fails, those before it are closed. */
export async function createRoleContainer(input: ContainerInput): Promise<RoleContainer> {
  const absent: Core = { ...input.core, store: input.core.store ?? absentStore }
  refuseMissingKeys(undefined, input.core.role, input.keys)
  const built: Built[] = []
  const close = (): Promise<void> => closeAll(built, closeBound(input.hooks))
  for (const plugin of input.ordered) {
    const wired = input.wired.get(plugin.name) ?? { wiring: 'ready' }
    // After `wire`, no wired plugin requires an absent service.
    const services = wired.wiring === 'unwired' ? absent : input.core
    const keys = keyringFor(plugin, input.core.role, input.keys)
    const core = { ...services, keys, sealed: createSealed(keys, plugin.name) } as CoreWith<readonly Requirement[]>
    if (wired.wiring !== 'unwired') refuseMissingKeys(plugin, input.core.role, input.keys)
    const create = (): object => plugin.create(core, input.slices.get(plugin.name), apisFor(plugin, built))
    try {
      built.push({ plugin, wired, services: await createServices(plugin, create, startBound(input.hooks)) })
    } catch (error) {
      await close()
      throw error
    }
  }
  try {
    return { built, contributions: contributionsOf(built), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function createServices(plugin: AnyPlugin, create: () => object, bound: HookBound): Promise<object> {
  const services: unknown = await asPlugin(plugin, 'create', create, bound)
  // Slots read properties of the services, and an untyped plugin may return anything.
  if (typeof services !== 'object' || services === null)
    throw new BootError(`${pluginTitle(plugin)}: create returned no object; it must return the services of the plugin`)
  return services
}

function contributionsOf(built: readonly Built[]): readonly OwnedContribution[] {
  const declared = slotValues('contributions', usable(built), ({ plugin, services }) =>
    plugin.contributions?.(services),
  )
  const plugins = built.map(({ plugin }) => plugin)
  refuseUnownedPoints(declared, pointNames(plugins))
  checkContributions(declared, plugins)
  return declared.map(({ plugin = '', value }) => ({ ...value, plugin }))
}

/** Plugins whose background work runs. `hidden` hides routes only, so dependents of such a plugin still work. */
export function usable(built: readonly Built[]): readonly Built[] {
  return built.filter(({ wired }) => wired.wiring !== 'unwired')
}

function apisFor(plugin: AnyPlugin, built: readonly Built[]): Readonly<Record<string, never>> {
  const entries = needsOf(plugin).map((need): [string, unknown] => {
    const found = built.find((candidate) => candidate.plugin.name === need.plugin.name)
    if (found !== undefined && found.wired.wiring !== 'unwired')
      return [need.key, callSlot(found.plugin, 'api', () => found.plugin.api?.(found.services))]
    return [need.key, need.optional ? undefined : absentApi(need.plugin.name, found?.wired.because)]
  })
  return Object.fromEntries(entries) as Readonly<Record<string, never>>
}

async function closeAll(built: readonly Built[], bound: HookBound): Promise<void> {
  const failed: unknown[] = []
  for (const { plugin, services } of built.toReversed()) {
    const close = () => plugin.close?.(services)
    await asPlugin(plugin, 'close', close, bound).catch((error: unknown) => failed.push(error))
  }
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join('; '))
}
