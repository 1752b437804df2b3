import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from '#core/config/profile.ts'
import { SYSTEM_NAMESPACE } from '#schemas/names/group.ts'
import { freePort } from '#test/harness/free-port.ts'
import { mainProgram, workerProgram } from '#test/harness/program.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startProcess, untilReady } from '#test/harness/server-process.ts'
import { spawnFlags } from '#test/harness/spawn-flags.ts'
import { mountKeys } from './key-mount.ts'
import { toPlatformProcess } from './platform-process.ts'
import type { PlatformProcess } from './platform-process.ts'
import type { Send } from './send.ts'

// Of a machine that runs many tests at once.
const startMs = 90_000

/** Serving roles, in the order of a first start. */
export const serving = ['state', 'manager', 'worker', 'gateway', 'bff'] as const

/** A serving role. */
export type ServingRole = (typeof serving)[number]

/** Environment of every role process of an installation. */
export interface Installation {
  readonly t: Scope
  readonly folder: string
  readonly kube: Send
  readonly bearer: string
  readonly endpointsUrl: string
  /** Roles with the token of their account. */
  readonly withIdentity: readonly Role[]
  readonly env: Readonly<Record<string, string>>
}

/** The role processes, and the operations of a rollout. */
export interface ClusterRoles {
  readonly processes: Readonly<Partial<Record<Role, PlatformProcess>>>
  /** Folder of all private keys, as `mesh keys --dir` writes it. */
  readonly keysDir: string
  /** Delivers the role's part of `keysDir` as the kubelet does for a changed Secret. */
  mountKeys(role: ServingRole): void
  /** Ends the process, by default with SIGTERM, and starts the next one. Resolves when that is ready. */
  restart(role: ServingRole, signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

interface StartedRole {
  readonly end: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>
  readonly process: PlatformProcess
}

/** Runs the role `migrate` to completion. */
export async function migrate(installation: Installation): Promise<void> {
  mountKeys(keysOf(installation), 'migrate', mountOf(installation, 'migrate'))
  const { server } = await startRole(installation, 'migrate')
  const code = await server.exited
  assert.equal(code, 0, server.output())
}

/** Starts every serving role. Resolves when all are ready. */
export async function startRoles(installation: Installation): Promise<ClusterRoles> {
  const keysDir = keysOf(installation)
  const mount = (role: ServingRole): void => mountKeys(keysDir, role, mountOf(installation, role))
  const running = new Map<ServingRole, StartedRole>()
  const start = async (role: ServingRole): Promise<void> => {
    const { server, adminUrl } = await startRole(installation, role)
    await untilReady(server, async () => (await fetch(`${adminUrl}/readyz`)).ok, startMs)
    running.set(role, { end: (signal) => server.end(signal), process: toPlatformProcess(server, adminUrl) })
  }
  for (const role of serving) mount(role)
  await Promise.all(serving.map(start))
  return {
    keysDir,
    mountKeys: mount,
    get processes() {
      return Object.fromEntries([...running].map(([role, { process: started }]) => [role, started]))
    },
    restart: async (role, signal = 'SIGTERM') => {
      await running.get(role)?.end(signal)
      await start(role)
    },
  }
}

async function startRole(installation: Installation, role: Role) {
  const { t, folder, kube, bearer, endpointsUrl, withIdentity, env } = installation
  const adminPort = await freePort()
  const token = withIdentity.includes(role) ? await issueToken(kube, bearer, role) : undefined
  const tokenFile = join(folder, `token-${role}`)
  // D2, K1: the BFF has no token.
  if (token !== undefined) writeFileSync(tokenFile, token, { mode: 0o600 })
  const server = startProcess({
    program: process.execPath,
    args: [...spawnFlags, ...(role === 'worker' ? [workerProgram, role, endpointsUrl] : [mainProgram, role])],
    log: join(folder, `${role}.log`),
    env: {
      ...env,
      MESH_ADMIN_PORT: String(adminPort),
      // As in an installation: a role that needs another role's key fails.
      MESH_KEYS_DIR: mountOf(installation, role),
      ...(token === undefined ? {} : { MESH_CLUSTER_TOKEN_FILE: tokenFile }),
    },
  })
  t.after(() => server.end('SIGTERM'))
  return { server, adminUrl: `http://127.0.0.1:${adminPort}` }
}

function keysOf({ folder }: Installation): string {
  return join(folder, 'keys')
}

function mountOf({ folder }: Installation, role: Role): string {
  return join(folder, `keys-${role}`)
}

/** Issues a token of a role's service account. */
export async function issueToken(kube: Send, bearer: string, role: Role): Promise<string> {
  const answer = await kube({
    method: 'POST',
    path: `/api/v1/namespaces/${SYSTEM_NAMESPACE}/serviceaccounts/mesh-${role}/token`,
    bearer,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } },
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.json<{ status: { token: string } }>().status.token
}
