import { execFile } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Cluster } from './cluster.ts'
import { openGuide } from './guide.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** Builds both images as `npm run images` does. Returns the paths of the archives. */
export async function makeImages(t: Scope): Promise<string[]> {
  const out = tempFolder('images')
  t.after(out.remove)
  await run(process.execPath, ['scripts/images.ts', '--out', out.path], { cwd: root, timeout: 120_000 })
  return ['mesh-platform.tar', 'mesh-launcher.tar'].map((file) => join(out.path, file))
}

/** Addresses of the servers on this machine, by the names of docs/operations/install.md. */
export type Connections = Readonly<Record<'DATABASE_URL' | 'NATS_URL' | 'REDIS_URL', string>>

/**
 * Installs as docs/operations/install.md describes, from the images of {@link makeImages}, with `settings` at the end of mesh.yaml. Resolves
 * when every role is ready.
 */
export async function installPlatform(
  t: Scope,
  cluster: Cluster,
  { connections, settings }: { readonly connections: Connections; readonly settings: string },
): Promise<void> {
  const variables = { KUBECONFIG: cluster.kubeconfig, REGISTRY: 'mesh.local', VERSION: 'dev', ...connections }
  const guide = openGuide(t, variables)
  try {
    await guide.run('Overlay')
    appendFileSync(join(guide.folder, 'deploy', 'overlays', 'mine', 'mesh.yaml'), settings)
    await guide.run('Connections', 'Session store', 'Apply')
  } catch (error) {
    throw new Error(`${String(error)}\n${await whatPodsSay(cluster, 'mesh-system')}`, { cause: error })
  }
}

/** State and last log lines of every pod of a namespace, for a failure message. */
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
