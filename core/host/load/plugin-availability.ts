import type { Profile } from '#core/config/profile.ts'
import { asPlugin, BootError, startBound } from './startup-error.ts'
import type { HookSettings } from '#core/jobs/hook-settings.ts'
import type { Core, Requirement, PluginAvailability } from '#core/plugin/core-services.ts'
import { needsOf } from './load-order.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'

/** Input of the decision. */
export interface WiringInput {
  readonly core: Core
  readonly slices: ReadonlyMap<string, unknown>
  readonly disabled: readonly string[]
  readonly hooks?: HookSettings
}

/** Determines the availability of every plugin, in load order. Dependents inherit `unwired`, but not `hidden`. */
export async function wire(
  ordered: readonly AnyPlugin[],
  input: WiringInput,
): Promise<ReadonlyMap<string, PluginAvailability>> {
  const wired = new Map<string, PluginAvailability>()
  for (const plugin of ordered) {
    const found = inherited(plugin, wired) ?? (await own(plugin, input))
    if (found.wiring === 'unwired') refuseUnderProfile(plugin, input.core.profile, found)
    wired.set(plugin.name, found)
  }
  return wired
}

function refuseUnderProfile(
  { name, requiredBy = [] }: AnyPlugin,
  profile: Profile,
  { because }: PluginAvailability,
): void {
  if (requiredBy.includes(profile))
    throw new BootError(`plugin ${name}: the profile ${profile} does not start without it; it is unwired: ${because}`)
}

function inherited(plugin: AnyPlugin, wired: ReadonlyMap<string, PluginAvailability>): PluginAvailability | undefined {
  for (const need of needsOf(plugin)) {
    const found = wired.get(need.plugin.name)
    if (need.optional || found?.wiring !== 'unwired') continue
    return { ...found, because: `needs ${need.plugin.name}: ${found.because ?? 'not configured'}` }
  }
  return undefined
}

async function own(plugin: AnyPlugin, { core, slices, disabled, hooks }: WiringInput): Promise<PluginAvailability> {
  if (disabled.includes(plugin.name))
    return { wiring: 'unwired', reason: 'disabled', because: 'disabled in the settings', setting: 'disable' }
  const missing = plugin.requires?.find((service) => core[service] === undefined)
  if (missing !== undefined) return { wiring: 'unwired', reason: 'unconfigured', ...absences[missing] }
  const read = () => plugin.wiring?.(slices.get(plugin.name), core) ?? 'ready'
  const wiring = await asPlugin(plugin, 'wiring', read, startBound(hooks))
  if (wiring === 'ready') return { wiring }
  if (wiring === 'hidden') return { wiring, reason: 'disabled', because: 'hidden by the settings' }
  return { wiring, reason: 'unconfigured', because: 'not configured' }
}

const absences = {
  store: { because: 'no DATABASE_URL', setting: 'DATABASE_URL' },
} as const satisfies Readonly<Record<Requirement, Pick<PluginAvailability, 'because' | 'setting'>>>
