import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from '#core/config/profile.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { bootstrap, createDemo } from '#local/cluster/bootstrap.ts'
import { shipped } from '#local/cluster/local-cluster.ts'
import { plugins } from '#plugins/index.ts'
import { environment, installCrds } from '#test/flows/platform/on-cluster.ts'
import { issueToken } from '#test/flows/platform/roles.ts'
import { createSend } from '#test/flows/platform/send.ts'
import type { Send } from '#test/flows/platform/send.ts'
import { findServer } from '#test/harness/find-server.ts'
import { startKube } from '#test/harness/kube.ts'
import type { OwnKubeServer } from '#test/harness/kube.ts'
import { startNats } from '#test/harness/nats.ts'
import type { NatsServer } from '#test/harness/nats.ts'
import { mainProgram } from '#test/harness/program.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { PostgresServer } from '#test/harness/postgres.ts'
import type { Scope } from '#test/harness/scope.ts'
import { freePort } from '#test/harness/free-port.ts'
import { startProcess } from '#test/harness/server-process.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { openLink } from '../proxy.ts'
import type { Link } from '../proxy.ts'
import { NotHere } from '../run-case.ts'
import { startRole } from './role.ts'
import type { RoleProcess } from './role.ts'

/** The platform under test: real servers, a fault-injecting proxy before each of them, and one process per role. */
export interface Stage {
  readonly kube: OwnKubeServer
  readonly postgres: PostgresServer
  readonly nats: NatsServer
  /** Proxies between the roles and each server. The suite connects to the servers directly. */
  readonly links: { readonly cluster: Link; readonly store: Link; readonly bus: Link }
  readonly bff: RoleProcess
  readonly manager: RoleProcess
  readonly worker: RoleProcess
  /** Client of the API server with cluster-admin permissions. */
  readonly admin: KubeClient
  /** Direct connection to PostgreSQL, used to verify results. */
  readonly database: Database
  /** Sends a raw request to the BFF. */
  readonly send: Send
  readonly bearer: string
  /** Address of a state role that a case adds. */
  readonly stateUrl: string
  /** Address of a gateway that a case adds. */
  readonly gatewayUrl: string
  /** Folder for files of a case; removed with the stage. */
  readonly folder: string
  /** Starts another process of a role and stops it with the scope. `yaml` replaces the settings. */
  add(scope: Scope, name: string, role: Role, yaml?: string): Promise<RoleProcess>
  /** Runs a command of the platform (`migrate`, `restore`) and returns its output. */
  command(...args: readonly string[]): Promise<string>
}

const stages = new WeakMap<Scope, Promise<Stage>>()

/** The platform shared by the cases of one run. Each case leaves it healthy. Takes about 10 s the first time. */
export function sharedStage(whole: Scope): Promise<Stage> {
  const known = stages.get(whole) ?? openStage(whole)
  stages.set(whole, known)
  return known
}

/** Settings of every role. Rate limits are raised, since several cases flood the platform and test what lies behind the limits. */
export const settings = `agents:
  isolation: none
limits:
  perCallerPerMinute: 10000000
  perAddressPerMinute: 10000000
  rejectedPerAddressPerMinute: 10000000
  underWayPerCaller: 10000000
  waitsPerCaller: 10000000
  streamsPerUser: 10000000
  bodyBytesPerCaller: 1000000000
`

async function openStage(scope: Scope): Promise<Stage> {
  for (const program of ['etcd', 'kube-apiserver', 'kubectl', 'nats-server', 'initdb'] as const)
    if (findServer(program) === undefined) throw new NotHere(`${program} is not installed`)
  const folder = tempFolder('stage')
  scope.after(folder.remove)
  const [kube, postgres, nats] = await Promise.all([startKube(scope), startPostgres(scope), startNats(scope)])
  const links = {
    cluster: await openLink(scope, portOf(kube.url)),
    store: await openLink(scope, postgres.port),
    bus: await openLink(scope, portOf(nats.url)),
  }
  const bearer = kube.tokens['admin'] ?? ''
  const pool = createPool(kube.url, { ca: kube.ca })
  scope.after(() => pool.close())
  const admin = createKubeClient({ server: kube.url, pool, bearer })
  await installCrds(kube, bearer)
  await bootstrap(admin, { ...shipped, plugins })
  const env = await environmentOf(folder.path, kube, { links, postgres })
  const installation = { folder: folder.path, env }
  const command = (...args: readonly string[]): Promise<string> => runCommand(installation, args)
  await command('migrate')
  const database = await openDatabase({ url: postgres.url })
  scope.after(() => database.close())
  const add: Stage['add'] = async (of, name, role, yaml) => {
    const file = join(folder.path, `${name}.yaml`)
    if (yaml !== undefined) writeFileSync(file, yaml)
    const more = {
      ...(await identityOf(kube, role, folder.path, scope)),
      // As in the manifests. A case with its own settings chooses for itself.
      ...(role === 'bff' && yaml === undefined ? { AUDIT_SPOOL_DIR: join(folder.path, `spool-${name}`) } : {}),
      ...(yaml === undefined ? {} : { MESH_CONFIG: file }),
    }
    const started = await startRole(name, role, { folder: folder.path, env: { ...env, ...more } })
    of.after(() => started.end('SIGKILL'))
    await started.untilReady()
    return started
  }
  const [bff, manager, worker] = await Promise.all([
    add(scope, 'bff', 'bff'),
    add(scope, 'manager', 'manager'),
    add(scope, 'worker', 'worker'),
  ])
  await createDemo(admin, { ...shipped, plugins })
  const send = createSend(scope, bff.url)
  return {
    kube,
    postgres,
    nats,
    links,
    bff,
    manager,
    worker,
    admin,
    database,
    send,
    bearer,
    stateUrl: env['STATE_URL'] ?? '',
    gatewayUrl: env['GATEWAY_URL'] ?? '',
    folder: folder.path,
    add,
    command,
  }
}

async function environmentOf(
  folder: string,
  kube: OwnKubeServer,
  { links, postgres }: Pick<Stage, 'links' | 'postgres'>,
): Promise<Readonly<Record<string, string>>> {
  const through = (url: string, link: Link): string => Object.assign(new URL(url), { port: String(link.port) }).href
  const env = await environment(folder, kube, {
    DATABASE_URL: through(postgres.url, links.store),
    NATS_URL: `nats://127.0.0.1:${links.bus.port}`,
  })
  writeFileSync(join(folder, 'mesh.yaml'), settings)
  return { ...env, MESH_CLUSTER_SERVER: `https://127.0.0.1:${links.cluster.port}`, LOG_LEVEL: 'warn' }
}

async function runCommand(
  installation: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
  [role = '', ...flags]: readonly string[],
): Promise<string> {
  const { folder } = installation
  const log = join(folder, `${role}.log`)
  // A command listens for probes too, and the default port may belong to another installation.
  const env = { ...installation.env, MESH_ADMIN_PORT: String(await freePort()) }
  const done = startProcess({ program: process.execPath, args: [mainProgram, role, ...flags], log, env })
  assert.equal(await done.exited, 0, done.output())
  return done.output()
}

// D2, K1: BFF and worker have no token.
async function identityOf(
  kube: OwnKubeServer,
  role: Role,
  folder: string,
  scope: Scope,
): Promise<Readonly<Record<string, string>>> {
  if (role === 'bff' || role === 'worker' || role === 'migrate') return {}
  const send = createSend(scope, kube.url, kube.ca)
  const file = join(folder, `token-${role}`)
  writeFileSync(file, await issueToken(send, kube.tokens['admin'] ?? '', role), { mode: 0o600 })
  return { MESH_CLUSTER_TOKEN_FILE: file }
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
