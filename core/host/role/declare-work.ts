import { controllerConsumers } from '#core/controllers/consumers.ts'
import type { Informer, Reconciler } from '#core/controllers/watch/declarations.ts'
import { missedDeletions } from '#core/controllers/missed-deletions.ts'
import type { Job } from '#core/jobs/background-work.ts'
import { checkJob } from '#core/jobs/check-job.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { coreInformers, informersOf } from '#core/plugin/access-of-plugins.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { consumersOfStored } from '#core/plugin/stored-slot.ts'
import type { ConsumerContext, JobContext, ManagerContext, WorkerContext } from '#core/plugin/role-contexts.ts'
import { checkTaskHandler } from '#core/tasks/task.ts'
import type { TaskHandler } from '#core/tasks/task.ts'
import { usable } from '../load/role-container.ts'
import type { Built } from '../load/role-container.ts'
import { declaredBy, ofCore, slotValues, valuesOf } from '../load/slot-values.ts'
import { refuseShared } from '../load/refuse-duplicates.ts'
import { callSlot } from '../load/startup-error.ts'
import { relayName } from '#core/messaging/relay-cursor.ts'
import { ofOwnKinds } from '#core/object-reads/indexed-objects.ts'
import { createRoleEmbeddings } from '#core/retrieval/embeddings.ts'
import { createRoleModels } from '#core/role-models/role-models.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { Platform } from '../platform/platform.ts'
import { createSystemReads } from './create-system-reads.ts'
import { stateContext } from './state-context.ts'
import { refuseUndeclared, refuseUndeclaredWatch } from '../load/check-consumers.ts'

/** Input of declarations for the manager. */
interface ManagerInput {
  readonly platform: Pick<Platform, 'identity'>
  readonly built: readonly Built[]
}

/** Input of declarations. */
export interface DeclareInput extends ManagerInput {
  readonly core: Pick<Core, 'eventTypes' | 'urls'>
  readonly platform: Pick<
    Platform,
    'identity' | 'endpoints' | 'indexed' | 'workerJobs' | 'ownBearer' | 'stateStore' | 'objects'
  >
}

/** A role with background work. */
export type WorkingRole = 'worker' | 'manager' | 'state'

/** Background work that the plugins declare for a role. */
export interface DeclaredWork {
  readonly jobs: readonly Job[]
  /** Handlers of tasks; only the worker has any. */
  readonly tasks: readonly TaskHandler[]
}

/**
 * Collects the jobs of every plugin for one role. Throws `BootError` with plugin and job for a job that cannot run, and for two with the same
 * name. The name is that of a lease, as for the relay.
 */
export function declareWork(role: WorkingRole, input: DeclareInput): DeclaredWork {
  const jobs = slotValues('jobs', usable(input.built), ({ plugin, services }) => {
    return plugin.jobs?.(services, contexts[role](plugin, input))
  })
  for (const { plugin = '', value } of jobs) callSlot(plugin, 'jobs', () => checkJob(value))
  const own = [{ name: relayName }, { name: missedDeletions }, ...input.platform.workerJobs]
  refuseShared([...ofCore<{ readonly name: string }>(own), ...jobs], 'the job', nameOf)
  return { jobs: valuesOf(jobs), tasks: role === 'worker' ? declareTasks(input) : [] }
}

const contexts: Readonly<Record<WorkingRole, (plugin: AnyPlugin, input: DeclareInput) => JobContext>> = {
  worker: workerContext,
  manager: managerContext,
  state: stateContext,
}

function declareTasks(input: DeclareInput): readonly TaskHandler[] {
  const tasks = slotValues('tasks', usable(input.built), ({ plugin, services }) =>
    plugin.tasks?.(services, workerContext(plugin, input)),
  )
  for (const { plugin = '', value } of tasks) callSlot(plugin, 'tasks', () => checkTaskHandler(value))
  refuseShared(tasks, 'the task', ({ type }) => [type.name])
  return valuesOf(tasks)
}

/**
 * Every consumer of the installation, those of core first. Throws `BootError` for two with the same name, and for a consumer of an event that no
 * plugin declares.
 */
export function allConsumers(input: DeclareInput): readonly Consumer[] {
  const declared = slotValues('consumers', usable(input.built), ({ plugin, services }) =>
    plugin.consumers?.(services, consumerContext(plugin, input)),
  )
  // The relay has a cursor besides those of the consumers.
  const own = ofCore<{ readonly name: string }>([{ name: relayName }, ...controllerConsumers])
  const ofStored = declaredBy(
    usable(input.built).map(({ plugin }) => plugin),
    consumersOfStored,
  )
  refuseShared([...own, ...ofStored, ...declared], 'the consumer', nameOf)
  for (const { owner, value } of declared) refuseUndeclared(owner, value, input.core.eventTypes())
  return [...controllerConsumers, ...valuesOf(ofStored), ...valuesOf(declared)]
}

function nameOf({ name }: { readonly name: string }): readonly string[] {
  return [name]
}

/** Informers of core and of every plugin, one per kind, since two plugins may declare the same. Kinds of unwired plugins are followed, too. */
export function informersOfPlugins(built: readonly Built[]): readonly Informer[] {
  const ofPlugins = built.flatMap(({ plugin, wired }) =>
    wired.wiring === 'unwired' ? (plugin.kinds ?? []).map(({ informer }) => informer) : informersOf(plugin),
  )
  const all = [...coreInformers, ...ofPlugins]
  return [...new Map(all.toReversed().map((informer) => [informer.resourceKind, informer])).values()].toReversed()
}

/** Reconcilers of every plugin. */
export function reconcilersOfPlugins(
  input: ManagerInput & { readonly core: Pick<Core, 'eventTypes'> },
): readonly Reconciler[] {
  const declared = slotValues('reconcilers', usable(input.built), ({ plugin, services }) =>
    plugin.reconcilers?.(services, managerContext(plugin, input)),
  )
  refuseShared(declared, 'the reconciler', nameOf)
  for (const { owner, value } of declared) refuseUndeclaredWatch(owner, value, input.core.eventTypes())
  return valuesOf(declared)
}

function consumerContext(plugin: AnyPlugin, { platform, built }: DeclareInput): ConsumerContext {
  const kinds = new Set(informersOf(plugin).map(({ resourceKind }) => resourceKind))
  const indexed = ofOwnKinds(platform.indexed, plugin.name, kinds)
  return { endpoints: platform.endpoints, indexed, ...createSystemReads(plugin, built) }
}

function workerContext(plugin: AnyPlugin, input: DeclareInput): WorkerContext {
  const { core, platform } = input
  const { objects, ownBearer: bearer } = platform
  const gateway = { gatewayUrl: () => core.urls.gateway, bearer }
  const calls = { embeddings: createRoleEmbeddings(gateway), models: createRoleModels(gateway) }
  return { role: 'worker', ...calls, objects, ...consumerContext(plugin, input) }
}

function managerContext(plugin: AnyPlugin, { platform, built }: ManagerInput): ManagerContext {
  if (platform.identity === undefined) throw new Error('the role manager has no identity of its own')
  const { cluster, subjectMay } = platform.identity
  return { role: 'manager', cluster, subjectMay, ...createSystemReads(plugin, built) }
}
