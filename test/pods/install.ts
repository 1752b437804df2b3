import { execFile } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Cluster } from './cluster.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** Makes both images as `npm run images` does; returns the archives' paths. */
export async function makeImages(t: Scope): Promise<string[]> {
  const out = tempFolder('images')
  t.after(out.remove)
  await run(process.execPath, ['scripts/images.ts', '--out', out.path], { cwd: root, timeout: 120_000 })
  return ['mesh-platform.tar', 'mesh-launcher.tar'].map((file) => join(out.path, file))
}

/** Installs as an operator would: the shipped overlay with its connections filled in, and new keys; waits until every role is ready. */
export async function installPlatform(
  t: Scope,
  cluster: Cluster,
  connections: Readonly<Record<string, string>>,
): Promise<void> {
  const copy = tempFolder('deploy')
  t.after(copy.remove)
  cpSync(join(root, 'deploy'), copy.path, { recursive: true })
  const overlay = join(copy.path, 'overlays', 'external')
  const lines = Object.entries(connections).map(([key, value]) => `${key}=${value}\n`)
  writeFileSync(join(overlay, 'connections.env'), lines.join(''))
  await cluster.kubectl(['apply', '--server-side', '-k', overlay])
  const folder = tempFolder('keys')
  t.after(folder.remove)
  const makeKeys = ['main.ts', 'keys', 'init', '--dir', folder.path, '--output', 'yaml']
  const { stdout: keys } = await run(process.execPath, makeKeys, { cwd: root })
  await cluster.kubectl(['apply', '-f', '-'], keys)
  const roles = ['bff', 'worker', 'manager', 'gateway', 'state'].map((role) => `deployment/mesh-${role}`)
  const wait = ['-n', 'mesh-system', 'wait', '--timeout=90s']
  try {
    await cluster.kubectl([...wait, '--for=condition=Complete', 'job/mesh-migrate'])
    await cluster.kubectl([...wait, '--for=condition=Available', ...roles])
  } catch (error) {
    throw new Error(`${String(error)}\n${await whatPodsSay(cluster, 'mesh-system')}`, { cause: error })
  }
}

/** State and last lines of every pod of a namespace, for the reader of a failure. */
export async function whatPodsSay(cluster: Cluster, namespace: string): Promise<string> {
  const pods = (await cluster.kubectl(['-n', namespace, 'get', 'pods', '-o', 'name']))
    .trim()
    .split('\n')
    .filter(Boolean)
  const logs = pods.map((pod) =>
    cluster.kubectl(['-n', namespace, 'logs', pod, '--all-containers', '--tail=8', '--prefix']).catch(String),
  )
  return [await cluster.kubectl(['-n', namespace, 'get', 'pods']), ...(await Promise.all(logs))].join('\n')
}
