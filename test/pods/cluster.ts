import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { kubectl } from '#test/harness/kubectl.ts'
import type { Scope } from '#test/harness/scope.ts'

/** A real cluster of one node, stopped with the test. */
export interface Cluster {
  readonly kubeconfig: string
  /** Address of this machine as pods reach it. */
  readonly hostAddress: string
  /** Runs kubectl as cluster admin. Rejects with its output if it fails. */
  kubectl(args: readonly string[], input?: string): Promise<string>
  /** Loads further image archives. */
  load(images: readonly string[]): Promise<void>
}

// Selects the cluster's addresses: 10.240.INDEX.1 is this machine. Another index allows a second cluster beside it.
const index = process.env.MESH_TEST_CLUSTER_INDEX ?? '9'
const name = `mesh-pods-${index}`

/** Starts the cluster of a folder with image archives loaded. Takes about five seconds. `programs` names another program folder. */
export async function startCluster(
  t: Scope,
  folder: string,
  images: readonly string[],
  programs?: string,
): Promise<Cluster> {
  const own = programs === undefined ? {} : { CLUSTER_BIN: programs }
  const env = { ...process.env, ...own, CLUSTER_NAME: name, CLUSTER_INDEX: index }
  const run = (script: string, args: readonly string[] = []) =>
    promisify(execFile)(join(folder, script), args, { env, timeout: 120_000 })
  // An interrupted run may have left a cluster.
  await run('down.sh')
  t.after(() => run('down.sh'))
  const { stdout } = await run('up.sh', images)
  const kubeconfig = stdout.trim().split('\n').at(-1) ?? ''
  return {
    kubeconfig,
    hostAddress: `10.240.${index}.1`,
    kubectl: (args, input) => asAdmin(kubeconfig, args, input),
    load: async (more) => void (await run('up.sh', more)),
  }
}

/** Removes the cluster without waiting for a promise, for the end of a process. */
export function removeCluster(folder: string): void {
  execFileSync(join(folder, 'down.sh'), { env: { ...process.env, CLUSTER_NAME: name, CLUSTER_INDEX: index } })
}

async function asAdmin(kubeconfig: string, args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await kubectl(kubeconfig, args, input)
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
  return stdout
}
