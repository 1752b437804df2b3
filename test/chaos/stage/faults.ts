import type { Random } from '../random.ts'
import type { Stage } from './stage.ts'

/** Processes that can be killed with SIGKILL and restarted. */
export const parts = ['manager', 'postgres', 'bff', 'nats', 'worker', 'apiserver', 'etcd'] as const

/** See {@link parts}. */
export type Part = (typeof parts)[number]

/** Kills a process with SIGKILL and restarts it after a random delay. Resolves when it is ready. */
export async function killAndRestart(stage: Stage, part: Part, random: Random): Promise<void> {
  const pause = (): Promise<void> => random.instant(0, 1_000)
  if (part === 'apiserver' || part === 'etcd') {
    await stage.kube.kill9(part)
    await pause()
    return stage.kube.restart(part)
  }
  if (part === 'postgres' || part === 'nats') {
    await stage[part].kill9()
    await pause()
    return stage[part].restart()
  }
  await stage[part].end('SIGKILL')
  await pause()
  stage[part].start()
  await stage[part].untilReady()
}

/** Waits until every role is ready again. */
export async function untilHealthy(stage: Stage): Promise<void> {
  await Promise.all([stage.bff, stage.manager, stage.worker].map((role) => role.untilReady()))
}
