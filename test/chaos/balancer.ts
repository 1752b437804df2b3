import { Worker } from 'node:worker_threads'
import type { Scope } from '#test/harness/scope.ts'
import type { Backend, Told } from './actors/balancer.ts'
import { until } from './until.ts'

/** A TCP load balancer as a cluster has it: new connections go to ready backends, open ones stay where they are. */
export interface Balancer {
  readonly url: string
  /** Backends that take new connections now. */
  ready(): readonly string[]
}

/** Balances connections over BFFs in turn, in a thread; readiness is asked ten times a second. */
export async function openBalancer(scope: Scope, backends: readonly Backend[]): Promise<Balancer> {
  const workerData: readonly Backend[] = backends.map(({ name, port, adminUrl }) => ({ name, port, adminUrl }))
  const thread = new Worker(new URL('./actors/balancer.ts', import.meta.url), { workerData })
  scope.after(() => thread.terminate())
  let port: number | undefined
  let ready = backends.map(({ name }) => name)
  thread.on('message', (told: Told) => {
    if ('port' in told) port = told.port
    else ready = [...told.ready]
  })
  return { url: `http://127.0.0.1:${await until('the balancer listens', () => port)}`, ready: () => ready }
}
