import type { Fault } from '#test/failures/rows/failure.ts'
import type { Link, LinkState } from '#test/chaos/proxy.ts'

/** Makes a dependency fail and work again. */
export interface FaultSwitch {
  begin(fault: Fault): Promise<void>
  end(): Promise<void>
}

/** A server in its own process. */
export interface KillableServer {
  kill9(): Promise<void>
  /** Starts it again on the same port. Resolves when it is ready. */
  restart(): Promise<void>
  /** SIGSTOP. */
  freeze(): void
  /** SIGCONT. */
  thaw(): void
}

const states: Readonly<Record<Fault, LinkState>> = {
  killed: { refuse: true },
  frozen: { swallow: true },
  slow: { delayMs: 100 },
}

/** Faults of the connections to a server of this process. */
export function linkFaults(link: Link): FaultSwitch {
  return {
    begin: async (fault) => {
      link.set(states[fault])
      if (fault === 'killed') link.reset()
    },
    end: async () => link.heal(),
  }
}

/** SIGKILL and SIGSTOP for a server; the link before it is slow. */
export function processFaults(link: Link, server: KillableServer): FaultSwitch {
  let begun: Fault | undefined
  return {
    begin: async (fault) => {
      begun = fault
      if (fault === 'killed') {
        link.set({ absent: true })
        await server.kill9()
        link.reset()
      } else if (fault === 'frozen') server.freeze()
      else link.set(states.slow)
    },
    end: async () => {
      if (begun === 'killed') await server.restart()
      else if (begun === 'frozen') server.thaw()
      link.heal()
    },
  }
}
