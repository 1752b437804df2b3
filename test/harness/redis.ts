import { join } from 'node:path'
import { requireServer } from './find-server.ts'
import { freePort } from './free-port.ts'
import type { Scope } from './scope.ts'
import { acceptsTcp, startProcess, untilReady } from './server-process.ts'
import { tempFolder } from './temp-folder.ts'

/** A server of the Redis protocol, without persistence. */
export interface RedisServer {
  readonly url: string
  stop(): Promise<void>
  kill9(): Promise<void>
  restart(): Promise<void>
  freeze(): void
  thaw(): void
}

/**
 * Starts redis-server on a free port without persistence; `more` are further options of its command line. `address` is one of this machine
 * to listen on, for clients in pods; default: loopback.
 */
export async function startRedis(t: Scope, more: readonly string[] = [], address = '127.0.0.1'): Promise<RedisServer> {
  const program = requireServer(t, 'redis-server')
  const folder = tempFolder('redis')
  const port = await freePort()
  const own = [
    '--port',
    String(port),
    '--bind',
    address,
    '--protected-mode',
    'no',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder.path,
  ]
  const args = [...own, ...more]
  const run = () => startProcess({ program, args, log: join(folder.path, 'redis.log') })
  let server = run()
  t.after(async () => {
    await server.end('SIGKILL')
    folder.remove()
  })
  await untilReady(server, () => acceptsTcp(port, address))
  return {
    url: `redis://${address}:${port}`,
    stop: () => server.end('SIGTERM'),
    kill9: () => server.end('SIGKILL'),
    restart: async () => {
      await server.end('SIGKILL')
      server = run()
      await untilReady(server, () => acceptsTcp(port, address))
    },
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  }
}
