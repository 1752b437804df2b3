import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { findOnPath } from './find-on-path.ts'
import { requireServer } from './find-server.ts'
import { freePort } from './free-port.ts'
import type { Scope } from './scope.ts'
import { childrenOf, signal, stopProcesses, waitForExit } from './process-state.ts'
import { startProcess, untilReady } from './server-process.ts'
import type { ServerProcess } from './server-process.ts'
import { tempFolder } from './temp-folder.ts'

/** A PostgreSQL server of one test, which may stop, kill, restart and suspend it. */
export interface PostgresServer {
  /** The database `mesh`. */
  readonly url: string
  /** The database `postgres`, as superuser. */
  readonly adminUrl: string
  readonly port: number
  /** Process id of the postmaster. */
  readonly pid: number
  /** Fast shutdown: disconnects clients and writes data. */
  stop(): Promise<void>
  /** SIGKILL to the postmaster and every backend. */
  kill9(): Promise<void>
  /** Starts it again on the same port and data. */
  restart(): Promise<void>
  /** SIGSTOP to the postmaster and every backend: connections stay open without responses. */
  pause(): void
  resume(): void
}

/** fsync is off unless a test concerns durability. */
export interface PostgresOptions {
  readonly fsync?: boolean
  /** An additional address of this machine to listen on, for clients in pods; private networks are permitted. */
  readonly address?: string
  /** Additional lines of postgresql.conf, as `name: value`. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts a PostgreSQL server for one test (about 0.8 s); most tests use `createDatabase` instead. */
export async function startPostgres(t: Scope, options: PostgresOptions = {}): Promise<PostgresServer> {
  const programs = dirname(requireServer(t, 'initdb'))
  const folder = tempFolder('postgres')
  const data = initialise(programs, folder.path)
  if (options.address !== undefined) appendFileSync(join(data, 'pg_hba.conf'), 'host all all 10.0.0.0/8 trust\n')
  const port = await freePort()
  const run = (): ServerProcess =>
    startProcess({
      program: join(programs, 'postgres'),
      args: ['-D', data, ...serverSettings(port, options)],
      log: join(folder.path, 'postgres.log'),
      onParentDeath: 'INT',
      ...asUser(),
    })
  const adminUrl = databaseUrl(port, 'postgres')
  let server = run()
  const resume = (): void => [server.pid, ...childrenOf(server.pid)].forEach((pid) => signal(pid, 'SIGCONT'))
  // A suspended backend would not end.
  const stop = (): Promise<void> => {
    if (server.running()) resume()
    return server.end('SIGINT')
  }
  t.after(async () => {
    await stop()
    folder.remove()
  })
  await untilReady(server, () => answers(adminUrl))
  await execute(adminUrl, 'CREATE DATABASE mesh')
  return {
    url: databaseUrl(port, 'mesh'),
    adminUrl,
    port,
    get pid() {
      return server.pid
    },
    stop,
    kill9: async () => {
      killTree(server.pid)
      await server.end('SIGKILL')
    },
    restart: async () => {
      await stop()
      server = run()
      await untilReady(server, () => answers(adminUrl))
    },
    pause: () => void stopTree(server.pid),
    resume,
  }
}

/** Runs one statement on its own connection. */
export async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(sql)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** URL of another database of the same server. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}

function databaseUrl(port: number, database: string): string {
  return `postgres://postgres@127.0.0.1:${port}/${database}`
}

// PostgreSQL refuses to run as root, so root starts it as the package's user, or as `nobody`.
function asUser(): { user?: string } {
  if (process.getuid?.() !== 0) return {}
  return { user: idOf('postgres') === undefined ? 'nobody' : 'postgres' }
}

function idOf(user: string): { uid: number; gid: number } | undefined {
  const ask = (flag: string): number =>
    Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout.trim() || Number.NaN)
  const found = { uid: ask('-u'), gid: ask('-g') }
  return Number.isNaN(found.uid) ? undefined : found
}

function initialise(programs: string, folder: string): string {
  const data = join(folder, 'data')
  mkdirSync(data)
  const { user } = asUser()
  const args = [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    '--no-instructions',
  ]
  const [program, ...before] =
    user === undefined
      ? [join(programs, 'initdb')]
      : [findOnPath('runuser') ?? 'runuser', '-u', user, '--', join(programs, 'initdb')]
  const owner = user === undefined ? undefined : idOf(user)
  chmodSync(folder, 0o755)
  if (owner !== undefined) chownSync(data, owner.uid, owner.gid)
  const made = spawnSync(program, [...before, ...args], { encoding: 'utf8', cwd: '/' })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error)}`)
  return data
}

function serverSettings(port: number, options: PostgresOptions): string[] {
  const fsync = options.fsync === true ? 'on' : 'off'
  const settings = {
    listen_addresses: options.address === undefined ? '127.0.0.1' : `127.0.0.1,${options.address}`,
    port: String(port),
    unix_socket_directories: '',
    fsync,
    full_page_writes: fsync,
    max_connections: '300',
    shared_buffers: '64MB',
    jit: 'off',
    ...options.settings,
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function answers(url: string): Promise<boolean> {
  await execute(url, 'SELECT 1')
  return true
}

// Backends are in their own sessions, so a group signal would miss them. A stopped postmaster starts no new ones.
function stopTree(postmaster: number): number[] {
  stopProcesses([postmaster])
  const backends = childrenOf(postmaster)
  stopProcesses(backends)
  return backends
}

// A restart fails while a backend of the previous server is attached to its shared memory.
function killTree(postmaster: number): void {
  const backends = stopTree(postmaster)
  for (const pid of [postmaster, ...backends]) signal(pid, 'SIGKILL')
  if (!waitForExit(backends, 10_000)) throw new Error(`backends of ${postmaster} did not exit`)
}
