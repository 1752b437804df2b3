import type { ServiceEndpoint, ServiceEndpoints, ServicePort } from '#core/cluster/endpoint-slices.ts'
import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { LauncherAddress } from '../../contract/tables.ts'
import type { LauncherClient } from './launcher-client.ts'

/** Launchers of the run's agent. A run stays with the launcher that accepted it; the others do not know it. */
export interface Launchers {
  /** Returns the next ready launcher, round robin; undefined if none is ready. Rejects if the endpoints cannot be listed. */
  next(): Promise<LauncherClient | undefined>
  /** Whether the current round has a ready launcher that `next` has not returned. */
  hasMore(): boolean
  /** Returns the launcher at an address, ready or not. */
  at(address: LauncherAddress): LauncherClient
  /** Whether the latest connection failed because the other side did not prove that it is a launcher of the agent. */
  isUnproven(): boolean
}

/** Service port of an agent's launchers. */
export function launcherService(namespace: string, name: string): ServicePort {
  return { namespace, name, portName: 'http', port: reservedPorts.invoke.port, scheme: 'https' }
}

/** Launchers that may run a revision: those of the agent's Service, and those of its candidate (ADR 0258). Each refuses another revision itself. */
export async function launchersOfRevision(
  { endpoints }: { readonly endpoints: ServiceEndpoints },
  service: ServicePort,
  revision: number | null,
): Promise<readonly ServiceEndpoint[]> {
  if (revision === null) return endpoints(service)
  return (await Promise.all([endpoints({ ...service, candidate: revision }), endpoints(service)])).flat()
}

/** Options of `createLaunchers`. */
export interface LaunchersOptions {
  readonly list: () => Promise<readonly ServiceEndpoint[]>
  readonly connect: (address: LauncherAddress, isGone: () => Promise<boolean>) => LauncherClient
  /** Id of the launcher to return first if it is ready: the one that had the run before its pause. */
  readonly preferred?: string | undefined
  readonly isUnproven?: () => boolean
  readonly random?: () => number
}

/** Creates the launchers of one run. The first is the preferred or a random one, the rest follow in list order. */
export function createLaunchers({
  list,
  connect,
  preferred,
  isUnproven = () => false,
  random = Math.random,
}: LaunchersOptions): Launchers {
  let named: string | undefined
  let left = 0
  const at = (address: LauncherAddress): LauncherClient =>
    connect(address, () =>
      // Without a list the launcher may still exist.
      list().then(
        (all) => !all.some(({ id }) => id === address.id),
        () => false,
      ),
    )
  const choose = (ready: readonly ServiceEndpoint[]): ServiceEndpoint | undefined => {
    const indexOf = (id: string | undefined): number => ready.findIndex((one) => one.id === id)
    if (named !== undefined) return ready[(indexOf(named) + 1) % ready.length]
    return ready[indexOf(preferred)] ?? ready[Math.floor(random() * ready.length)]
  }
  return {
    at,
    isUnproven,
    hasMore: () => left > 0,
    async next() {
      const ready = (await list()).filter((one) => one.ready)
      const chosen = choose(ready)
      if (chosen === undefined) return undefined
      left = left > 0 ? left - 1 : ready.length - 1
      named = chosen.id
      return at({ id: chosen.id, url: chosen.url })
    },
  }
}
