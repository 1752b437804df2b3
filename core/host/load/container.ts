import { asFunction, asValue, createContainer } from 'awilix'
import { absentApi, absentStore } from './unconfigured-store.ts'
import { asPlugin } from './startup-error.ts'
import type { Core, Wired } from '#core/plugin/core-services.ts'
import { needsOf } from './load-order.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type { Contribution } from '#core/jobs/extension-point.ts'

/** A plugin as one role built it. */
export interface Built {
  readonly plugin: AnyPlugin
  readonly wired: Wired
  readonly inner: object
}

/** The plugins of one role: each role of a process has a container of its own and shares no object with another's. */
export interface RoleContainer {
  /** In load order. */
  readonly built: readonly Built[]
  readonly contributions: readonly Contribution[]
  /** Closes in reverse load order; every one is tried. */
  close(): Promise<void>
}

/** What a container is built from. */
export interface ContainerInput {
  readonly core: Core
  readonly ordered: readonly AnyPlugin[]
  readonly slices: ReadonlyMap<string, unknown>
  readonly wired: ReadonlyMap<string, Wired>
}

/** Creates every plugin in load order. awilix keeps the singletons; its `dispose` closes in no order, so closing is ours. */
export async function createRoleContainer(input: ContainerInput): Promise<RoleContainer> {
  const container = createContainer({ strict: true })
  container.register({
    core: asValue(input.core),
    absent: asValue({ ...input.core, store: input.core.store ?? absentStore }),
  })
  const built: Built[] = []
  const close = (): Promise<void> => closeAll(built)
  for (const plugin of input.ordered) {
    const wired = input.wired.get(plugin.name) ?? { wiring: 'ready' }
    const core = container.resolve<Core>(wired.wiring === 'unwired' ? 'absent' : 'core')
    container.register(
      plugin.name,
      asFunction(() => plugin.create(core, input.slices.get(plugin.name), apisFor(plugin, built))).singleton(),
    )
    try {
      built.push({
        plugin,
        wired,
        inner: await asPlugin(plugin.name, 'create', () => container.resolve<object>(plugin.name)),
      })
    } catch (error) {
      await close()
      throw error
    }
  }
  const contributions = usable(built).flatMap(({ plugin, inner }) => plugin.contributions?.(inner) ?? [])
  return { built, contributions, close }
}

/** The plugins whose work runs; `hidden` hides routes only, and what needs such a plugin still works. */
export function usable(built: readonly Built[]): readonly Built[] {
  return built.filter(({ wired }) => wired.wiring !== 'unwired')
}

function apisFor(plugin: AnyPlugin, built: readonly Built[]): Readonly<Record<string, never>> {
  const entries = needsOf(plugin).map((need): [string, unknown] => {
    const found = built.find((candidate) => candidate.plugin.name === need.plugin.name)
    if (found !== undefined && found.wired.wiring !== 'unwired') return [need.key, found.plugin.api?.(found.inner)]
    return [need.key, need.optional ? undefined : absentApi()]
  })
  return Object.fromEntries(entries) as Readonly<Record<string, never>>
}

async function closeAll(built: readonly Built[]): Promise<void> {
  const failed: unknown[] = []
  for (const { plugin, inner } of built.toReversed()) {
    await asPlugin(plugin.name, 'close', () => plugin.close?.(inner)).catch((error: unknown) => failed.push(error))
  }
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join('; '))
}
