import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { lockHolder } from '#core/database/lock-file.ts'
import { freePort } from '#test/harness/free-port.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const hasNpm = process.platform === 'linux' && spawnSync('npm', ['--version']).status === 0
// A platform starts within minutes on a machine that is shared.
const options = { timeout: 480_000, skip: hasNpm ? (false as const) : 'needs npm on Linux' }

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

/** A command of mesh that npm starts through a shell, as `npx mesh all` does, once it has printed `ready`. */
async function startByNpm(
  t: TestContext,
  command: string,
  { env, ready }: { readonly env: NodeJS.ProcessEnv; readonly ready: RegExp },
) {
  // Two commands, so that every shell stays between them.
  const args = ['exec', '--offline', '--call', `node scripts/mesh.mjs ${command} && true`]
  const npm = spawn('npm', args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  // Every process of the chain has these pipes, so this is the end of the last one.
  const closed = new Promise<void>((resolve) => npm.once('close', () => resolve()))
  const { promise: isReady, resolve } = Promise.withResolvers<void>()
  const read = (chunk: Buffer): void => {
    text += chunk.toString()
    if (ready.test(text)) resolve()
  }
  npm.stdout.on('data', read)
  npm.stderr.on('data', read)
  await Promise.race([isReady, closed.then(() => assert.fail(`ended before it was ready: ${text}`))])
  const pids = descendantsOf(npm.pid ?? 0)
  t.after(() => {
    for (const pid of [npm.pid ?? 0, ...pids]) spawnSync('kill', ['-9', String(pid)])
  })
  return { npm, pids, closed, text: () => text }
}

/** A manager without a store and a cluster. */
async function startManager(t: TestContext) {
  const { path, remove } = tempFolder('npm')
  t.after(remove)
  writeFileSync(join(path, 'token'), 'unused', { mode: 0o600 })
  const keys = join(path, 'keys')
  assert.equal(spawnSync('node', ['scripts/mesh.mjs', 'keys', 'init', '--dir', keys], { cwd: root }).status, 0)
  const env = {
    PATH: process.env['PATH'],
    HOME: path,
    MESH_KEYS_DIR: keys,
    MESH_STORE: 'none',
    MESH_CLUSTER_SERVER: `http://127.0.0.1:${await freePort()}`,
    MESH_CLUSTER_TOKEN_FILE: join(path, 'token'),
    MESH_HOST: '127.0.0.1',
    MESH_MANAGER_PORT: '0',
    MESH_ADMIN_PORT: '0',
  }
  return startByNpm(t, 'manager', { env, ready: /"msg":"ready"/ })
}

const inTime = (closed: Promise<void>): Promise<void> =>
  Promise.race([
    closed,
    setTimeout(120_000, undefined, { ref: false }).then(() => assert.fail('it runs on without npm')),
  ])

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`R2-C17: a process that npm started drains and ends when npm is ended by ${signal}`, options, async (t) => {
    const { npm, pids, closed, text } = await startManager(t)
    assert.ok(pids.length >= 3, `a shell, mesh and the role: ${pids.join(', ')}`)
    npm.kill(signal)
    await inTime(closed)
    assert.match(text(), /"msg":"draining"/, 'it ends as by a signal, not by a crash')
  })

test('R2-C17: SIGTERM to npx mesh all ends a platform that is up, and frees its data folder', options, async (t) => {
  const { path, remove } = tempFolder('npm-all')
  t.after(remove)
  const env = { PATH: process.env['PATH'], HOME: path }
  const command = `all --port 0 --no-demo --output json --data ${join(path, 'data')}`
  const { npm, pids, closed, text } = await startByNpm(t, command, { env, ready: /"adminUrl"/ })
  const lock = join(path, 'data', 'lock')
  const holder = lockHolder(lock) ?? assert.fail(text())
  assert.ok(pids.includes(holder), `${holder} is below npm: ${pids.join(', ')}`)
  npm.kill('SIGTERM')
  await inTime(closed)
  assert.deepEqual([lockHolder(lock), existsSync(lock)], [undefined, false])
})
