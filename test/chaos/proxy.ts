import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from '#test/harness/scope.ts'

/** Behaviour of a link in both directions. */
export interface LinkState {
  /** Half-open: connections stay open and no data arrives. Swallowed data is lost, as with a pulled cable. */
  readonly swallow?: boolean
  /** Resets new connections. */
  readonly refuse?: boolean
  /** Nothing listens: the system refuses new connections. */
  readonly absent?: boolean
  /** Milliseconds added per chunk and direction. */
  readonly delayMs?: number
  /** Bytes per second, per connection and direction. */
  readonly bytesPerSecond?: number
}

/** A TCP proxy between a role and a server that injects faults. */
export interface Link {
  readonly port: number
  readonly connections: number
  /** Bytes swallowed so far. */
  readonly swallowed: number
  set(state: LinkState): void
  /** Restores the link. Connections that lost data are reset, so that no stream has a gap. */
  heal(): void
  /** Resets every open connection. */
  reset(): void
}

/** Listening address and target of a link. Default: 127.0.0.1 and a free port. */
export interface LinkPlace {
  readonly port?: number
  readonly targetHost?: string
}

/** Opens a link on a free loopback port to a local port. */
export async function openLink(
  scope: Scope,
  targetPort: number,
  { port = 0, targetHost = '127.0.0.1' }: LinkPlace = {},
): Promise<Link> {
  const pairs = new Set<Pair>()
  let state: LinkState = {}
  let swallowed = 0
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    if (state.refuse === true) return void near.resetAndDestroy()
    const pair: Pair = {
      near,
      far: connect({ port: targetPort, host: targetHost, allowHalfOpen: true, noDelay: true }),
      swallowed: false,
      swallow: (bytes) => {
        swallowed += bytes
        pair.swallowed = true
      },
    }
    pairs.add(pair)
    join(
      pair,
      () => state,
      () => void pairs.delete(pair),
    )
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const reset = (): void => pairs.forEach(cut)
  scope.after(async () => {
    reset()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given by the system')
  return {
    port: address.port,
    get connections() {
      return pairs.size
    },
    get swallowed() {
      return swallowed
    },
    set: (next) => {
      state = next
      if (next.absent === true) server.close()
    },
    heal: () => {
      state = {}
      if (!server.listening) server.listen(address.port, '127.0.0.1')
      for (const pair of pairs) if (pair.swallowed) cut(pair)
    },
    reset,
  }
}

interface Pair {
  readonly near: Socket
  readonly far: Socket
  swallowed: boolean
  swallow(bytes: number): void
}

function cut({ near, far }: Pair): void {
  near.resetAndDestroy()
  far.resetAndDestroy()
}

function join(pair: Pair, state: () => LinkState, gone: () => void): void {
  for (const [from, to] of [
    [pair.near, pair.far],
    [pair.far, pair.near],
  ] as const) {
    void pump(from, to, pair, state)
    from.on('error', () => cut(pair))
    from.once('close', () => {
      gone()
      if (!to.destroyed && !from.readableEnded) cut(pair)
    })
  }
}

// One chunk at a time: reading stops until the other end accepts it, so that a slow link causes back-pressure.
async function pump(from: Socket, to: Socket, pair: Pair, state: () => LinkState): Promise<void> {
  try {
    // Without destroying at the end: the other direction may still carry bytes.
    const chunks: AsyncIterable<Buffer> = from.iterator({ destroyOnReturn: false })
    for await (const chunk of chunks) {
      if (state().swallow === true) {
        pair.swallow(chunk.length)
        continue
      }
      const { delayMs = 0, bytesPerSecond = Infinity } = state()
      const wait = delayMs + (chunk.length / bytesPerSecond) * 1_000
      if (wait > 0) await sleep(wait)
      if (to.destroyed) return
      if (!to.write(chunk)) await Promise.race([once(to, 'drain'), once(to, 'close')])
    }
    if (!pair.swallowed) to.end()
  } catch {
    cut(pair)
  }
}
