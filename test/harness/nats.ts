import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireServer } from './find-server.ts'
import { freePort } from './free-port.ts'
import type { Scope } from './scope.ts'
import { acceptsTcp, startProcess, untilReady } from './server-process.ts'
import { tempFolder } from './temp-folder.ts'

/** A nats-server of one test. */
export interface NatsServer {
  readonly url: string
  stop(): Promise<void>
  kill9(): Promise<void>
  /** Starts it again on the same port and store, after `stop`, `kill9` or while it runs. */
  restart(): Promise<void>
  /** Deletes the store: stops the server, removes the files of JetStream, and starts it again on the same port. */
  wipe(): Promise<void>
  freeze(): void
  thaw(): void
}

/** `config` is appended to the configuration file (users, accounts); `syncAlways: false` trades durability for speed. */
export interface NatsOptions {
  readonly config?: string
  readonly syncAlways?: boolean
  /** Address of this machine to listen on, for clients in pods; default: loopback. */
  readonly address?: string
}

/** Starts nats-server with JetStream as in the manifests: `sync_interval: always`. About 50 ms. */
export async function startNats(t: Scope, options: NatsOptions = {}): Promise<NatsServer> {
  const program = requireServer(t, 'nats-server')
  const folder = tempFolder('nats')
  const host = options.address ?? '127.0.0.1'
  const port = await freePort()
  const file = join(folder.path, 'nats.conf')
  writeFileSync(file, configuration(`${host}:${port}`, folder.path, options))
  const run = () => startProcess({ program, args: ['-c', file], log: join(folder.path, 'nats.log') })
  let server = run()
  t.after(async () => {
    await server.end('SIGKILL')
    folder.remove()
  })
  await untilReady(server, () => acceptsTcp(port, host))
  const restart = async (): Promise<void> => {
    await server.end('SIGTERM')
    server = run()
    await untilReady(server, () => acceptsTcp(port, host))
  }
  return {
    url: `nats://${host}:${port}`,
    stop: () => server.end('SIGTERM'),
    kill9: () => server.end('SIGKILL'),
    restart,
    wipe: async () => {
      await server.end('SIGTERM')
      rmSync(join(folder.path, 'store'), { recursive: true, force: true })
      await restart()
    },
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  }
}

function configuration(listen: string, folder: string, options: NatsOptions): string {
  const sync = options.syncAlways === false ? '' : ', sync_interval: always'
  return `listen: "${listen}"\njetstream { store_dir: "${join(folder, 'store')}"${sync} }\n${options.config ?? ''}\n`
}
