import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '#test/harness/free-port.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startProcess, untilReady } from '#test/harness/server-process.ts'

const main = fileURLToPath(import.meta.resolve('../../main.ts'))
// Of a machine that runs many tests at once.
const startMs = 90_000

/** Environment and folder of the role, and the token of its service account. */
export interface StateRoleProcess {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly token: string
}

/** Migrates the store and starts `mesh state`, which ends with the test. Resolves with its URL. */
export async function startRoleProcess(t: Scope, { folder, env, token }: StateRoleProcess): Promise<string> {
  const run = (role: string, more: Readonly<Record<string, string>>) =>
    startProcess({
      program: process.execPath,
      args: [main, role],
      log: join(folder, `${role}.log`),
      env: { ...env, ...more },
    })
  const migrated = run('migrate', { MESH_ADMIN_PORT: String(await freePort()) })
  assert.equal(await migrated.exited, 0, migrated.output())
  const tokenFile = join(folder, 'token-state')
  writeFileSync(tokenFile, token, { mode: 0o600 })
  const adminPort = await freePort()
  const state = run('state', { MESH_ADMIN_PORT: String(adminPort), MESH_CLUSTER_TOKEN_FILE: tokenFile })
  t.after(() => state.end('SIGKILL'))
  await untilReady(state, async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).ok, startMs)
  return env['STATE_URL'] ?? ''
}
