import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Listeners of the embedded default and their usual ports. */
export const preferredPorts = { bff: 8080, gateway: 4000, state: 3002, manager: 8082, admin: 8081 } as const

/** One of the listeners. */
export type Listener = keyof typeof preferredPorts

/** A listener whose usual port is taken. */
export interface MovedPort {
  readonly name: Listener
  readonly wanted: number
  readonly port: number
}

const subjects: Readonly<Record<Listener, string>> = {
  bff: 'the API is',
  gateway: 'the model gateway is',
  state: 'the state role is',
  manager: 'the manager is',
  admin: 'health and metrics are',
}

/** `8080 is taken, so the API is on 44831 (--port chooses)`. */
export function movedLine({ name, wanted, port }: MovedPort): string {
  const chooses = name === 'bff' ? '--port' : `MESH_${name.toUpperCase()}_PORT`
  return `${wanted} is taken, so ${subjects[name]} on ${port} (${chooses} chooses)`
}

/** A port that the user chose and that is taken. */
export class PortTaken extends Error {
  constructor(port: number) {
    super(`--port ${port}: the port is taken by another process; choose another, or leave --port out`)
    this.name = 'PortTaken'
  }
}

/**
 * Chooses the ports to listen on, and reports those that differ from the defaults. Refuses a taken port that the user chose (`PortTaken`).
 * 0 selects a free port for every listener, so that several platforms started by a program do not race for the defaults.
 */
export async function choosePorts(
  given?: number,
): Promise<{ ports: Record<Listener, number>; moved: readonly MovedPort[] }> {
  const ports: Record<Listener, number> = { ...preferredPorts }
  if (given === 0) {
    for (const name of Object.keys(ports) as Listener[]) ports[name] = await anyPort()
    return { ports, moved: [] }
  }
  const moved: MovedPort[] = []
  for (const name of Object.keys(preferredPorts) as Listener[]) {
    const wanted = name === 'bff' && given !== undefined ? given : preferredPorts[name]
    const free = await isFree(wanted)
    if (!free && name === 'bff' && given !== undefined) throw new PortTaken(given)
    ports[name] = free ? wanted : await anyPort()
    if (!free) moved.push({ name, wanted, port: ports[name] })
  }
  return { ports, moved }
}

// Below the ephemeral ports: an outgoing connection could take one before the platform listens.
const FREE_PORTS = [10_240, 32_767] as const

async function anyPort(): Promise<number> {
  for (;;) {
    const port = randomInt(...FREE_PORTS)
    if (await isFree(port)) return port
  }
}

/** True if nothing listens on the loopback port. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** Ports of `MESH_BFF_PORT` and similar variables, else the chosen ones: announced addresses use them. */
export function givenPorts(
  chosen: Readonly<Record<Listener, number>>,
  env: Readonly<Record<string, string | undefined>>,
): Record<Listener, number> {
  const ports = { ...chosen }
  for (const name of Object.keys(ports) as Listener[]) {
    const given = Number(env[`MESH_${name.toUpperCase()}_PORT`])
    if (Number.isInteger(given) && given > 0) ports[name] = given
  }
  return ports
}
