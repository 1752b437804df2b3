import { execFile } from 'node:child_process'
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { execute } from '#test/harness/postgres.ts'
import type { PostgresServer } from '#test/harness/postgres.ts'
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
  await run(process.execPath, ['scripts/images.ts', '--out', out.path], { cwd: root, timeout: 480_000 })
  return ['mesh-platform.tar', 'mesh-launcher.tar'].map((file) => join(out.path, file))
}

/** Addresses of the servers on this machine, by the names of docs/operations/install.md. */
export type Connections = Readonly<Record<'DATABASE_URL' | 'NATS_URL' | 'REDIS_URL', string>>

/** A plugin of a third party: its file, and lines of mesh.yaml that it needs. */
export interface AddedPlugin {
  readonly file: string
  readonly settings: string
}

/** What an operator adds to the overlay: `settings` at the end of mesh.yaml, and a plugin beside it. */
interface Overlay {
  readonly connections: Connections
  readonly settings: string
  readonly plugin?: AddedPlugin | undefined
}

/** Installs as docs/operations/install.md describes, from the images of {@link makeImages}. Resolves when every role is ready. */
export async function installPlatform(
  t: Scope,
  cluster: Cluster,
  { connections, settings, plugin }: Overlay,
): Promise<void> {
  const variables = { KUBECONFIG: cluster.kubeconfig, REGISTRY: 'mesh.local', VERSION: 'dev', ...connections }
  const guide = openGuide(t, variables)
  try {
    await guide.run('Overlay')
    const overlay = join(guide.folder, 'deploy', 'overlays', 'mine')
    appendFileSync(join(overlay, 'mesh.yaml'), settings)
    if (plugin !== undefined) addPlugin(overlay, plugin)
    await guide.run('Connections', 'Session store', 'Apply')
  } catch (error) {
    throw new Error(`${String(error)}\n${await whatPodsSay(cluster, 'mesh-system')}`, { cause: error })
  }
}

// The file becomes a key of the ConfigMap, which every role mounts.
function addPlugin(overlay: string, { file, settings }: AddedPlugin): void {
  const name = basename(file)
  copyFileSync(file, join(overlay, name))
  appendFileSync(join(overlay, 'mesh.yaml'), `plugins: [/etc/mesh/${name}]\n${settings}`)
  const kustomization = join(overlay, 'kustomization.yaml')
  const text = readFileSync(kustomization, 'utf8')
  writeFileSync(kustomization, text.replace('files: [mesh.yaml]', `files: [mesh.yaml, ${name}]`))
}

/** A database as the page requires: its owner is not a superuser. Returns its URL as pods reach it. */
export async function ownedDatabase({ adminUrl, url }: PostgresServer, address: string): Promise<string> {
  for (const statement of ['drop database mesh', 'create role mesh login', 'create database mesh owner mesh'])
    await execute(adminUrl, statement)
  return url.replace('postgres@127.0.0.1', `mesh@${address}`)
}

/** Address of a Service of the platform, reachable from this machine. */
export async function serviceAddress(cluster: Cluster, service: string): Promise<string> {
  const args = ['-n', 'mesh-system', 'get', 'service', service, '-o', 'jsonpath={.spec.clusterIP}']
  return (await cluster.kubectl(args)).trim()
}

/** Adds to an error what the pods of the platform and of team-a say. */
export async function explained(cluster: Cluster, work: () => Promise<void>): Promise<void> {
  await work().catch(async (error) => {
    const [platform, team] = await Promise.all(['mesh-system', 'team-a'].map((name) => whatPodsSay(cluster, name)))
    throw new Error(`${String(error)}\n${platform}\n${team}`, { cause: error })
  })
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
