import type { Informer } from '#core/controllers/watch/declarations.ts'
import { missedDeletionsJob } from '#core/controllers/missed-deletions.ts'
import { controllerConsumers } from '#core/controllers/consumers.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import type { Job, Running } from '#core/jobs/background-work.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { Built } from '../load/container.ts'
import { usable } from '../load/container.ts'
import { informersOf } from '#core/plugin/access-of-plugins.ts'
import type { ManagerContext, WorkerContext } from '#core/plugin/role-contexts.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { runJobs } from './job-runner.ts'
import type { Platform } from '../platform/platform.ts'

/** Input of a role's background work. */
export interface RoleWorkInput {
  readonly role: 'worker' | 'manager'
  readonly core: Core
  readonly platform: Platform
  readonly built: readonly Built[]
  readonly tracer?: Tracer | undefined
  readonly signal: AbortSignal
}

/**
 * Starts consumers and jobs of the role, and informers and reconcilers of the manager, each once its dependencies are available. Passes
 * running work to `add`; resolves when all runs.
 */
export async function startRoleWork(input: RoleWorkInput, add: (running: Running) => void): Promise<void> {
  const { platform, signal, role, core } = input
  const ready = usable(input.built)
  const context: WorkerContext = { role, observed: platform.observed, endpoints: platform.endpoints }
  const declared = ready.flatMap(({ plugin, services }) => plugin.jobs?.(services, context) ?? [])
  const consumers = consumersOf(ready, context)
  const manager = role === 'manager' ? managerWork(input, ready) : undefined
  const jobs = [...platform.jobs, ...declared, ...(manager?.jobs ?? [])].filter((job) => job.role === role)
  manager?.startReconcilers(add)
  await platform.available.store(signal)
  manager?.startInformers(add)
  // The log is the outbox, so the relay itself waits for the bus.
  if (role === 'worker' && platform.store !== undefined) add(platform.relay(consumers, signal))
  const own = consumers.filter((consumer) => consumer.role === role)
  const consuming = platform.store === undefined ? undefined : platform.consume(own, signal)
  if (consuming !== undefined) add(consuming)
  await platform.available.bus(signal)
  add(runJobs({ jobs, platform, log: core.log, metrics: core.metrics, tracer: input.tracer, signal }))
  await consuming?.subscribe()
}

/** Every consumer of the installation, for the durables that the role `migrate` creates. */
export function allConsumers(input: Pick<RoleWorkInput, 'platform' | 'built'>): readonly Consumer[] {
  const { observed, endpoints } = input.platform
  const context: WorkerContext = { role: 'worker', observed, endpoints }
  return consumersOf(usable(input.built), context)
}

function consumersOf(ready: readonly Built[], context: WorkerContext): readonly Consumer[] {
  return [
    ...controllerConsumers,
    ...ready.flatMap(({ plugin, services }) => plugin.consumers?.(services, context) ?? []),
  ]
}

/** Informers of every plugin, one per kind, since two plugins may declare the same. Kinds of unwired plugins are followed, too. */
export function informersOfPlugins(built: readonly Built[]): readonly Informer[] {
  const all = built.flatMap(({ plugin, wired }) =>
    wired.wiring === 'unwired' ? (plugin.kinds ?? []).map(({ informer }) => informer) : informersOf(plugin),
  )
  return [...new Map(all.toReversed().map((informer) => [informer.resourceKind, informer])).values()].toReversed()
}

interface ManagerWork {
  readonly jobs: readonly Job[]
  startReconcilers(add: (running: Running) => void): void
  startInformers(add: (running: Running) => void): void
}

function managerWork(input: RoleWorkInput, ready: readonly Built[]): ManagerWork {
  const { core, platform, signal } = input
  const { store } = platform
  if (platform.identity === undefined) throw new Error('the role manager has no identity of its own')
  const context: ManagerContext = { role: 'manager', cluster: platform.identity.cluster, observed: platform.observed }
  const informers = informersOfPlugins(input.built)
  const reconcilers = ready.flatMap(({ plugin, services }) => plugin.reconcilers?.(services, context) ?? [])
  const { cluster } = platform.identity
  return {
    jobs: store === undefined ? [] : [missedDeletionsJob({ cluster, store, informers, log: core.log })],
    // Reconcilers are idempotent and need only the cluster, so agents are maintained while store and bus are unavailable.
    startReconcilers: (add) => add(platform.reconcile(reconcilers, signal)),
    // Informers record events and need the store.
    startInformers: (add) => (store === undefined ? undefined : add(platform.inform(informers, signal))),
  }
}
