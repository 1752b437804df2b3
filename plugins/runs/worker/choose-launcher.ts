import type { ServiceEndpoint, ServicePort } from '#core/cluster/endpoint-slices.ts'
import { reservedPorts } from '#schemas/launcher-ports.ts'
import type { LauncherAddress } from '../store/tables.ts'
import type { LauncherClient } from './launcher-client.ts'

/** The launchers of a run's agent. A run stays with the one that took it: no other knows of it. */
export interface Launchers {
  /** One that takes runs, each time another where there are several; undefined while there is none. Rejects when that cannot be known. */
  next(): Promise<LauncherClient | undefined>
  /** Whether one that takes runs has not been named since the round began. */
  hasMore(): boolean
  /** The one that has a segment of the run. */
  at(address: LauncherAddress): LauncherClient
  /** Whether the latest one that was reached did not prove that it is a launcher of the agent. */
  isUnproven(): boolean
}

/** The port of an agent's Service behind which its launchers are. */
export function launcherService(namespace: string, name: string): ServicePort {
  return { namespace, name, portName: 'http', port: reservedPorts.invoke.port, scheme: 'https' }
}

/** What launchers are made of. */
export interface LaunchersOptions {
  readonly list: () => Promise<readonly ServiceEndpoint[]>
  readonly connect: (address: LauncherAddress, isGone: () => Promise<boolean>) => LauncherClient
  /** Id of the one that comes first while it takes runs: where the run was before its pause. */
  readonly preferred?: string | undefined
  readonly isUnproven?: () => boolean
  readonly random?: () => number
}

/** Makes the launchers of one run: begins at the preferred one or anywhere, and goes round. */
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
      // What cannot be known now may be there still.
      list().then(
        (all) => !all.some(({ id }) => id === address.id),
        () => false,
      ),
    )
  const choose = (ready: readonly ServiceEndpoint[]): ServiceEndpoint | undefined => {
    const place = (id: string | undefined): number => ready.findIndex((one) => one.id === id)
    if (named !== undefined) return ready[(place(named) + 1) % ready.length]
    return ready[place(preferred)] ?? ready[Math.floor(random() * ready.length)]
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
