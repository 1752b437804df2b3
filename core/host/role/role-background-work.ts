import { missedDeletionsJob } from '#core/controllers/missed-deletions.ts'
import type { Job, Running } from '#core/jobs/background-work.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { Built } from '../load/role-container.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { Platform } from '../platform/platform.ts'
import { allConsumers, informersOfPlugins, reconcilersOfPlugins } from './declare-work.ts'
import type { DeclaredWork, WorkingRole } from './declare-work.ts'
import type { RunningHandlers } from './running-handlers.ts'
import { runJobs } from './job-runner.ts'

/** Input of a role's background work. */
export interface RoleWorkInput {
  readonly role: WorkingRole
  readonly core: Core
  readonly platform: Platform
  readonly built: readonly Built[]
  readonly declared: DeclaredWork
  readonly handlers: RunningHandlers
  readonly tracer?: Tracer | undefined
  readonly signal: AbortSignal
}

/**
 * Starts consumers and jobs of the role, and informers and reconcilers of the manager, each once its dependencies are available. Passes
 * running work to `add`; resolves when all runs.
 */
export async function startRoleWork(input: RoleWorkInput, add: (running: Running) => void): Promise<void> {
  const { platform, signal, role } = input
  if (role === 'state') return startStateWork(input, add)
  const consumers = allConsumers(input)
  const manager = role === 'manager' ? managerWork(input) : undefined
  const ofCore = manager === undefined ? platform.workerJobs : manager.jobs
  manager?.startReconcilers(add)
  await platform.available.store(signal)
  manager?.startInformers(add)
  // The log is the outbox, so the relay itself waits for the bus.
  if (role === 'worker' && platform.store !== undefined) add(platform.relay(consumers, signal))
  const own = consumers.filter((consumer) => consumer.role === role).map(input.handlers.consumer)
  const consuming = platform.store === undefined ? undefined : platform.consume(own, signal)
  if (consuming !== undefined) add(consuming)
  // The queue is in the store: tasks do not wait for the bus.
  add(platform.runTasks(input.declared.tasks, signal))
  await platform.available.bus(signal)
  startJobs(input, [...ofCore, ...input.declared.jobs], add)
  await consuming?.subscribe()
}

// Its requests are served meanwhile; those that need the missing dependency get an error.
async function startStateWork(input: RoleWorkInput, add: (running: Running) => void): Promise<void> {
  await input.platform.available.store(input.signal)
  startJobs(input, input.declared.jobs, add)
  await input.platform.available.bus(input.signal)
}

function startJobs(
  { platform, core, tracer, signal, handlers }: RoleWorkInput,
  declared: readonly Job[],
  add: (running: Running) => void,
): void {
  const jobs = declared.map(handlers.job)
  add(runJobs({ jobs, platform, log: core.log, metrics: core.metrics, tracer, now: core.now, signal }))
}

interface ManagerWork {
  readonly jobs: readonly Job[]
  startReconcilers(add: (running: Running) => void): void
  startInformers(add: (running: Running) => void): void
}

function managerWork(input: RoleWorkInput): ManagerWork {
  const { core, platform, signal } = input
  const { store, identity } = platform
  if (identity === undefined) throw new Error('the role manager has no identity of its own')
  const informers = informersOfPlugins(input.built)
  const reconcilers = reconcilersOfPlugins(input).map(input.handlers.reconciler)
  const { cluster } = identity
  return {
    jobs: store === undefined ? [] : [missedDeletionsJob({ cluster, store, informers, log: core.log })],
    // Reconcilers are idempotent and need only the cluster, so agents are maintained while store and bus are unavailable.
    startReconcilers: (add) => add(platform.reconcile(reconcilers, signal)),
    // Informers record events and need the store.
    startInformers: (add) => (store === undefined ? undefined : add(platform.inform(informers, signal))),
  }
}
