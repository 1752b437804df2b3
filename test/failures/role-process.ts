import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '#test/harness/free-port.ts'
import { mainProgram, workerProgram } from '#test/harness/program.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startProcess, untilReady } from '#test/harness/server-process.ts'
import { spawnFlags } from '#test/harness/spawn-flags.ts'
import type { KillableServer } from './fault-switch.ts'

// Of a machine that runs many tests at once.
const startMs = 90_000

/** Environment and folder of a role, where it looks up agents, and the token of its service account. */
export interface RoleStart {
  readonly role: 'state' | 'worker'
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly endpointsUrl: string
  readonly token?: string
}

/** Runs `mesh migrate`. */
export async function runMigration(folder: string, env: RoleStart['env']): Promise<void> {
  const migrated = startProcess({
    program: process.execPath,
    args: [...spawnFlags, mainProgram, 'migrate'],
    log: join(folder, 'migrate.log'),
    env: { ...env, MESH_ADMIN_PORT: String(await freePort()) },
  })
  assert.equal(await migrated.exited, 0, migrated.output())
}

/** Starts a role, which ends with the test. */
export async function startRoleProcess(t: Scope, options: RoleStart): Promise<KillableServer> {
  const { role, folder, env, endpointsUrl, token } = options
  const adminPort = String(await freePort())
  const tokenFile = join(folder, `token-${role}`)
  if (token !== undefined) writeFileSync(tokenFile, token, { mode: 0o600 })
  const identity = token === undefined ? {} : { MESH_CLUSTER_TOKEN_FILE: tokenFile }
  const run = () =>
    startProcess({
      program: process.execPath,
      args: [...spawnFlags, workerProgram, role, endpointsUrl],
      log: join(folder, `${role}.log`),
      env: { ...env, ...identity, MESH_ADMIN_PORT: adminPort },
    })
  const ready = () => untilReady(server, async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).ok, startMs)
  let server = run()
  t.after(() => server.end('SIGKILL'))
  await ready()
  return {
    kill9: () => server.end('SIGKILL'),
    restart: async () => {
      server = run()
      await ready()
    },
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  }
}
