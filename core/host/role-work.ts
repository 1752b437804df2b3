import type { Consumer } from '#core/events/consumer.ts'
import type { Built } from './container.ts'
import { usable } from './container.ts'
import type { ManagerContext, WorkerContext } from './contexts.ts'
import type { Core } from './core.ts'
import { runJobs } from './jobs.ts'
import type { Platform, Running } from './platform.ts'

/** What the background work of a role is started from. */
export interface RoleWorkInput {
  readonly role: 'worker' | 'manager'
  readonly core: Core
  readonly platform: Platform
  readonly built: readonly Built[]
  readonly agentEndpoint: WorkerContext['agentEndpoint']
  readonly signal: AbortSignal
}

/** Starts consumers and jobs of the role, and for the manager informers and reconcilers. */
export async function startRoleWork(input: RoleWorkInput): Promise<readonly Running[]> {
  const { platform, signal, role, core } = input
  const ready = usable(input.built)
  const context: WorkerContext = { role, observed: platform.observed, agentEndpoint: input.agentEndpoint }
  const declared = ready.flatMap(({ plugin, inner }) => plugin.jobs?.(inner, context) ?? [])
  const jobs = [...platform.jobs, ...declared].filter((job) => job.role === role)
  const running = [runJobs({ jobs, platform, log: core.log, signal })]
  if (platform.store !== undefined) {
    const consumers = ready.flatMap(({ plugin, inner }) => plugin.consumers?.(inner, context) ?? [])
    running.push(
      await platform.consume(
        consumers.filter((consumer) => consumer.role === role),
        signal,
      ),
    )
    if (role === 'worker') running.push(platform.relay(signal))
  }
  return role === 'manager' ? [...running, ...startManagerWork(input, ready)] : running
}

/** Every consumer of the install, whichever role runs it: for the durables that the role `migrate` makes. */
export function allConsumers({
  platform,
  agentEndpoint,
  built,
}: Pick<RoleWorkInput, 'platform' | 'agentEndpoint' | 'built'>): readonly Consumer[] {
  const context: WorkerContext = { role: 'worker', observed: platform.observed, agentEndpoint }
  return usable(built).flatMap(({ plugin, inner }) => plugin.consumers?.(inner, context) ?? [])
}

function startManagerWork(input: RoleWorkInput, ready: readonly Built[]): readonly Running[] {
  const { platform, signal } = input
  if (platform.identity === undefined) throw new Error('the role manager has no identity of its own')
  const context: ManagerContext = { role: 'manager', cluster: platform.identity.cluster, observed: platform.observed }
  const informers = ready.flatMap(({ plugin, inner }) => plugin.informers?.(inner, context) ?? [])
  const reconcilers = ready.flatMap(({ plugin, inner }) => plugin.reconcilers?.(inner, context) ?? [])
  // Facts need somewhere to stand; reconcilers are idempotent and run without a store.
  const informed = platform.store === undefined ? [] : [platform.inform(informers, signal)]
  return [...informed, platform.reconcile(reconcilers, signal)]
}
