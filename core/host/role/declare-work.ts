import { controllerConsumers } from '#core/controllers/consumers.ts'
import type { Informer, Reconciler } from '#core/controllers/watch/declarations.ts'
import type { Job } from '#core/jobs/background-work.ts'
import { checkJob } from '#core/jobs/check-job.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { informersOf } from '#core/plugin/access-of-plugins.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type { ConsumerContext, ManagerContext, WorkerContext } from '#core/plugin/role-contexts.ts'
import { usable } from '../load/container.ts'
import type { Built } from '../load/container.ts'
import { asPlugin } from '../load/startup-error.ts'
import type { Platform } from '../platform/platform.ts'
import { createSystemReads } from './create-system-reads.ts'

/** Input of declarations for the manager. */
interface ManagerInput {
  readonly platform: Pick<Platform, 'observed' | 'identity'>
  readonly built: readonly Built[]
}

/** Input of declarations. */
export interface DeclareInput extends ManagerInput {
  readonly platform: Pick<Platform, 'observed' | 'identity' | 'endpoints'>
}

/** Background work that the plugins declare for a role. */
export interface DeclaredWork {
  readonly jobs: readonly Job[]
}

/** Collects the jobs of every plugin for one role. Throws `BootError` with plugin and job for one that cannot be run. */
export async function declareWork(role: 'worker' | 'manager', input: DeclareInput): Promise<DeclaredWork> {
  const jobs: Job[] = []
  for (const { plugin, services } of usable(input.built)) {
    const context = role === 'worker' ? workerContext(plugin, input) : managerContext(plugin, input)
    await asPlugin(plugin.name, 'jobs', () => {
      const declared = plugin.jobs?.(services, context) ?? []
      declared.forEach(checkJob)
      jobs.push(...declared)
    })
  }
  return { jobs }
}

/** Every consumer of the installation, those of core first. */
export function allConsumers(input: DeclareInput): readonly Consumer[] {
  const declared = usable(input.built).flatMap(
    ({ plugin, services }) => plugin.consumers?.(services, consumerContext(plugin, input)) ?? [],
  )
  return [...controllerConsumers, ...declared]
}

/** Informers of every plugin, one per kind, since two plugins may declare the same. Kinds of unwired plugins are followed, too. */
export function informersOfPlugins(built: readonly Built[]): readonly Informer[] {
  const all = built.flatMap(({ plugin, wired }) =>
    wired.wiring === 'unwired' ? (plugin.kinds ?? []).map(({ informer }) => informer) : informersOf(plugin),
  )
  return [...new Map(all.toReversed().map((informer) => [informer.resourceKind, informer])).values()].toReversed()
}

/** Reconcilers of every plugin. */
export function reconcilersOfPlugins(input: ManagerInput): readonly Reconciler[] {
  return usable(input.built).flatMap(
    ({ plugin, services }) => plugin.reconcilers?.(services, managerContext(plugin, input)) ?? [],
  )
}

function consumerContext(plugin: AnyPlugin, { platform, built }: DeclareInput): ConsumerContext {
  return { observed: platform.observed, endpoints: platform.endpoints, ...createSystemReads(plugin, built) }
}

function workerContext(plugin: AnyPlugin, input: DeclareInput): WorkerContext {
  return { role: 'worker', ...consumerContext(plugin, input) }
}

function managerContext(plugin: AnyPlugin, { platform, built }: ManagerInput): ManagerContext {
  if (platform.identity === undefined) throw new Error('the role manager has no identity of its own')
  const { cluster } = platform.identity
  return { role: 'manager', cluster, observed: platform.observed, ...createSystemReads(plugin, built) }
}
