import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import type { Persona } from '#local/data-folder/personas.ts'
import { freePort } from '#test/harness/free-port.ts'
import { mainProgram } from '#test/harness/program.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startProcess, untilReady } from '#test/harness/server-process.ts'
import type { ServerProcess } from '#test/harness/server-process.ts'
import { spawnFlags } from '#test/harness/spawn-flags.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { createUpstreamLog } from './audit-log.ts'
import { toPlatformProcess } from './platform-process.ts'
import type { PlatformProcess } from './platform-process.ts'
import type { Platform, PlatformOptions } from './running-platform.ts'
import { createSend } from './send.ts'

/** Output of `--output json`. */
export interface ReadyLine {
  readonly url: string
  readonly kubeconfig: string
  readonly dataDir: string
  readonly gatewayUrl: string
  readonly tokens: Readonly<Record<Persona, string>>
  readonly pid: number
}

/** `mesh all` as a separate process. */
export interface AllProcess extends PlatformProcess {
  readonly ready: ReadyLine
  readonly server: ServerProcess
  /** File with its complete output. */
  readonly log: string
  readonly gatewayUrl: string
  readonly stateUrl: string
  readonly ports: AllPorts
}

/** Ports of gateway, state and admin listener. */
type AllPorts = readonly [gateway: number, state: number, admin: number]

interface AllOptions {
  readonly flags?: readonly string[]
  /** Flags of Node.js. */
  readonly nodeFlags?: readonly string[]
  /** Whether it lives for minutes under load, so that optimised WebAssembly costs less than it saves. */
  readonly isLoaded?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** Those of the process before, which agents know. Default: free ones. */
  readonly ports?: AllPorts
}

// For a machine that runs many tests at once.
const startMs = 170_000

/** Starts `mesh all` on a data folder and waits for its output. Each listener gets a free port. */
export async function startAll(t: Scope, dataDir: string, options: AllOptions = {}): Promise<AllProcess> {
  const { server, log, adminUrl, gatewayUrl, stateUrl, ports } = await spawnAll(t, dataDir, options)
  let ready: ReadyLine | undefined
  await untilReady(
    server,
    async () => {
      const line = readFileSync(log, 'utf8')
        .split('\n')
        .slice(0, -1)
        .find((text) => text.startsWith('{"url"'))
      if (line !== undefined) ready = JSON.parse(line) as ReadyLine
      return ready !== undefined
    },
    startMs,
  )
  if (ready === undefined) throw new Error('no ready line')
  return { ...toPlatformProcess(server, adminUrl), ready, server, log, gatewayUrl, stateUrl, ports }
}

/** Starts `mesh all` without waiting, for starts that must fail. */
export async function spawnAll(t: Scope, dataDir: string, options: AllOptions = {}) {
  const { flags = [], nodeFlags = [], env = {}, isLoaded = false } = options
  const folder = tempFolder('all')
  const ports: AllPorts = options.ports ?? [await freePort(), await freePort(), await freePort()]
  const [gateway, state, admin] = ports
  const log = join(folder.path, 'all.log')
  const server = startProcess({
    program: process.execPath,
    args: [
      ...(isLoaded ? [] : spawnFlags),
      ...nodeFlags,
      mainProgram,
      'all',
      '--data',
      dataDir,
      '--port',
      '0',
      '--output',
      'json',
      // Tests count what they make, so that only theirs is evaluated.
      ...(flags.includes('--demo') ? [] : ['--demo', 'agents']),
      ...flags,
    ],
    log,
    env: {
      // With a `--port` of a test, two platforms that start at once would both find the default free.
      MESH_MANAGER_PORT: String(await freePort()),
      ...env,
      MESH_ADMIN_PORT: String(admin),
      // The default ports would conflict with other platforms on this machine.
      MESH_GATEWAY_PORT: String(gateway),
      MESH_STATE_PORT: String(state),
    },
  })
  t.after(async () => {
    await server.end('SIGTERM')
    folder.remove()
  })
  const [adminUrl = '', gatewayUrl = '', stateUrl = ''] = [admin, gateway, state].map(
    (port) => `http://127.0.0.1:${port}`,
  )
  return { server, log, adminUrl, gatewayUrl, stateUrl, ports }
}

// Tests send bearers that the cluster rejects from one address, hundreds of times a minute.
const settings = 'limits:\n  rejectedPerAddressPerMinute: 100000\n'

/** The embedded default with its demo, on an empty data folder. */
export async function startEmbedded(t: Scope, { env = {}, isLoaded = false }: PlatformOptions = {}): Promise<Platform> {
  const folder = tempFolder('data')
  t.after(folder.remove)
  const auditFile = join(folder.path, 'api-audit.log')
  const config = join(folder.path, 'mesh.yaml')
  writeFileSync(config, settings)
  const all = await startAll(t, join(folder.path, 'data'), {
    flags: ['--api-audit', auditFile],
    env: { MESH_CONFIG: config, ...env },
    isLoaded,
  })
  const { ready } = all
  const cluster = clusterOf(ready.kubeconfig)
  const pool = createPool(cluster.server, { ca: cluster.ca })
  t.after(() => pool.close())
  const kube = createSend(t, cluster.server, cluster.ca)
  const roles = ['migrate', 'state', 'manager', 'worker', 'gateway', 'bff'] as const
  return {
    form: 'embedded',
    url: ready.url,
    // The port is set by environment and is not part of the ready line.
    gatewayUrl: all.gatewayUrl,
    stateUrl: all.stateUrl,
    tokens: ready.tokens,
    dataDir: ready.dataDir,
    processes: Object.fromEntries(roles.map((role) => [role, all])),
    send: createSend(t, ready.url),
    apiServer: { url: cluster.server, ca: cluster.ca },
    kube,
    admin: createKubeClient({ server: cluster.server, pool, bearer: ready.tokens.admin }),
    upstream: createUpstreamLog(auditFile, kube, ready.tokens.admin),
    issuerKeyFile: join(ready.dataDir, 'apiserver', 'issuer.key'),
    logFiles: [all.log],
  }
}

/** Address and authority of the API server in a kubeconfig of the embedded default. */
export function clusterOf(kubeconfig: string): { server: string; ca: string } {
  const { clusters } = parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: { cluster: { server: string; 'certificate-authority-data': string } }[]
  }
  const found = clusters[0]?.cluster
  if (found === undefined) throw new Error('the kubeconfig has no cluster')
  return { server: found.server, ca: Buffer.from(found['certificate-authority-data'], 'base64').toString() }
}
