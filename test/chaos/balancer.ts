import { Worker } from 'node:worker_threads'
import type { Scope } from '#test/harness/scope.ts'
import type { Backend, BalancerMessage } from './actors/balancer.ts'
import { until } from './until.ts'

/** A TCP load balancer as in a cluster: new connections go to ready backends, open ones stay on theirs. */
export interface Balancer {
  readonly url: string
  /** Backends that receive new connections now. */
  ready(): readonly string[]
  /** Gives a backend no new connections until it is ready after its restart: a terminating pod leaves its Service before its probes fail. */
  leaves(name: string): void
}

/** Balances connections over BFFs round robin, in a thread. Readiness is polled ten times a second. */
export async function openBalancer(scope: Scope, backends: readonly Backend[]): Promise<Balancer> {
  const workerData: readonly Backend[] = backends.map(({ name, port, adminUrl }) => ({ name, port, adminUrl }))
  const thread = new Worker(new URL('./actors/balancer.ts', import.meta.url), { workerData })
  scope.after(() => thread.terminate())
  let port: number | undefined
  let ready = backends.map(({ name }) => name)
  thread.on('message', (message: BalancerMessage) => {
    if ('port' in message) port = message.port
    else ready = [...message.ready]
  })
  return {
    url: `http://127.0.0.1:${await until('the balancer listens', () => port)}`,
    ready: () => ready,
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows
    leaves: (name) => thread.postMessage(name),
  }
}
