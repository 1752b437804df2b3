import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '#test/harness/free-port.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const hasNpm = process.platform === 'linux' && spawnSync('npm', ['--version']).status === 0
const options = { timeout: 240_000, skip: hasNpm ? (false as const) : 'needs npm on Linux' }

/** Processes below one, by /proc. */
function descendantsOf(pid: number): readonly number[] {
  const rows = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
        return [{ pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }]
      } catch {
        return [] // ended meanwhile
      }
    })
  const below = rows.filter(({ parent }) => parent === pid).map((one) => one.pid)
  return below.flatMap((child) => [child, ...descendantsOf(child)])
}

/** A manager without a store and a cluster that npm starts through a shell and `mesh`, as `npx mesh all` does, once it is ready. */
async function startByNpm(t: TestContext) {
  const { path, remove } = tempFolder('npm')
  t.after(remove)
  writeFileSync(join(path, 'token'), 'unused', { mode: 0o600 })
  const env = {
    PATH: process.env['PATH'],
    HOME: path,
    MESH_STORE: 'none',
    MESH_CLUSTER_SERVER: `http://127.0.0.1:${await freePort()}`,
    MESH_CLUSTER_TOKEN_FILE: join(path, 'token'),
    MESH_HOST: '127.0.0.1',
    MESH_MANAGER_PORT: '0',
    MESH_ADMIN_PORT: '0',
  }
  // Two commands, so that every shell stays between them.
  const args = ['exec', '--offline', '--call', 'node scripts/mesh.mjs manager && true']
  const npm = spawn('npm', args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  // Every process of the chain has these pipes, so this is the end of the last one.
  const closed = new Promise<void>((resolve) => npm.once('close', () => resolve()))
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const read = (chunk: Buffer): void => {
    text += chunk.toString()
    if (text.includes('"msg":"ready"')) resolve()
  }
  npm.stdout.on('data', read)
  npm.stderr.on('data', read)
  await Promise.race([ready, closed.then(() => assert.fail(`ended before it was ready: ${text}`))])
  const pids = descendantsOf(npm.pid ?? 0)
  t.after(() => {
    for (const pid of [npm.pid ?? 0, ...pids]) spawnSync('kill', ['-9', String(pid)])
  })
  return { npm, pids, closed, text: () => text }
}

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`R2-C17: a process that npm started drains and ends when npm is ended by ${signal}`, options, async (t) => {
    const { npm, pids, closed, text } = await startByNpm(t)
    assert.ok(pids.length >= 3, `a shell, mesh and the role: ${pids.join(', ')}`)
    npm.kill(signal)
    const late = setTimeout(60_000, undefined, { ref: false }).then(() => assert.fail('it runs on without npm'))
    await Promise.race([closed, late])
    assert.match(text(), /"msg":"draining"/, 'it ends as by a signal, not by a crash')
  })
