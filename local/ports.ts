import { createServer } from 'node:net'

/** What listens in the embedded default, and where unless it is taken. */
export const preferredPorts = { bff: 8080, gateway: 4000, state: 3002, manager: 8082, admin: 8081 } as const

/** One of the listeners. */
export type Listener = keyof typeof preferredPorts

/** A port that somebody named and that is taken. */
export class PortTaken extends Error {
  constructor(port: number) {
    super(`--port ${port}: the port is in use`)
    this.name = 'PortTaken'
  }
}

/**
 * The ports to listen on, and those that had to move. A port given by hand never moves: it is refused with `PortTaken`.
 * 0 is any free port for every listener: programs that start several platforms at once must not race for the usual ones.
 */
export async function choosePorts(
  given?: number,
): Promise<{ ports: Record<Listener, number>; moved: readonly Listener[] }> {
  const ports: Record<Listener, number> = { ...preferredPorts }
  if (given === 0) {
    for (const name of Object.keys(ports) as Listener[]) ports[name] = (await tryPort(0)) ?? 0
    return { ports, moved: [] }
  }
  const moved: Listener[] = []
  for (const name of Object.keys(preferredPorts) as Listener[]) {
    const wanted = name === 'bff' && given !== undefined ? given : preferredPorts[name]
    const free = await tryPort(wanted)
    if (free === undefined && name === 'bff' && given !== undefined) throw new PortTaken(given)
    if (free === undefined) moved.push(name)
    ports[name] = free ?? (await tryPort(0)) ?? 0
  }
  return { ports, moved }
}

/** The port if it is free on loopback (0: any free one), else undefined. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined))
    })
  })
}

/** The ports as `MESH_BFF_PORT` and its like name them, else those chosen: announced addresses follow them. */
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
