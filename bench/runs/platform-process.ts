import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { KubeClient } from '#core/kube/client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { clusterOf } from '#test/flows/platform/embedded.ts'
import { heapFlags } from '#test/harness/heap-flags.ts'
import type { Scope } from '#test/harness/scope.ts'
import { root } from '../tools/platform.ts'
import type { Announced } from '../tools/platform.ts'
import type { Observed } from './observe-process.ts'

/** `mesh all` with its statements and memory. */
export interface ObservedPlatform extends Announced {
  /** Client of its API server as cluster-admin. */
  readonly admin: KubeClient
  observe(): Promise<Observed>
}

const observer = join(import.meta.dirname, 'observe-process.ts')
/** Settings `limits`: more callers are measured than one user may have by default. */
export const limits = { waitsPerCaller: 200, streamsPerUser: 200, underWayPerCaller: 500 }
/** Environment of a platform whose model may be a server of the bench. */
export const outbound = { MESH_OUTBOUND_ALLOW: '127.0.0.1' }

/** Starts `mesh all` with the flags of `npm start`, on PGlite or with the given stores. */
export async function startObserved(
  t: Scope,
  folder: string,
  stores: { readonly databaseUrl?: string; readonly natsUrl?: string } = {},
): Promise<ObservedPlatform> {
  const config = join(folder, 'mesh.yaml')
  // JSON is YAML.
  writeFileSync(config, JSON.stringify({ ...stores, limits }))
  const flags = ['all', '--data', join(folder, 'data'), '--port', '0', '--output', 'json', '--no-demo']
  const args = [...heapFlags, '--import', observer, join(root, 'main.ts'), ...flags]
  const counted = stores.databaseUrl === undefined ? { BENCH_COUNT_PGLITE: '1' } : {}
  const env = { ...process.env, ...outbound, MESH_CONFIG: config, ...counted }
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const exited = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGTERM')
    await exited
  })
  const died = exited.then(([code]) => Promise.reject(new Error(`mesh all ended with ${code}`)))
  died.catch(() => undefined)
  const output = child.stdout as Readable // of the option `stdio`
  const [line] = (await Promise.race([once(createInterface({ input: output }), 'line'), died])) as [string]
  const observe = async (): Promise<Observed> => {
    const answered = once(child, 'message')
    child.send('observe')
    const [observed] = (await Promise.race([answered, died])) as [Observed]
    return observed
  }
  const announced = JSON.parse(line) as Announced
  return { ...announced, admin: adminOf(t, announced), observe }
}

function adminOf(t: Scope, { kubeconfig, tokens }: Announced): KubeClient {
  const { server, ca } = clusterOf(kubeconfig)
  const pool = createPool(server, { ca })
  t.after(() => pool.close())
  return createKubeClient({ server, pool, bearer: tokens['admin'] ?? '' })
}
