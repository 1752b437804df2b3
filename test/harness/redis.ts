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

/** Starts redis-server on a free port without persistence; `more` are further options of its command line. */
export async function startRedis(t: Scope, more: readonly string[] = []): Promise<RedisServer> {
  const program = requireServer(t, 'redis-server')
  const folder = tempFolder('redis')
  const port = await freePort()
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder.path]
  const args = [...own, ...more]
  const run = () => startProcess({ program, args, log: join(folder.path, 'redis.log') })
  let server = run()
  t.after(async () => {
    await server.end('SIGKILL')
    folder.remove()
  })
  await untilReady(server, () => acceptsTcp(port))
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: () => server.end('SIGTERM'),
    kill9: () => server.end('SIGKILL'),
    restart: async () => {
      await server.end('SIGKILL')
      server = run()
      await untilReady(server, () => acceptsTcp(port))
    },
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  }
}
