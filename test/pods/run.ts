import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { removeCluster } from './cluster.ts'

// npm run test:pods: runs the tests of this folder on a real one-node cluster.
// MESH_TEST_CLUSTER names a folder with `up.sh [IMAGE.tar ...]`, which starts the cluster and prints the path of its kubeconfig, and
// `down.sh`, which removes it.
// CLUSTER_BIN names the folder of its programs; default: mesh/cluster in the user's cache.
// Needs root on Linux, with openssl, psql, pg_dump and pg_restore on the PATH.
// MESH_RUNS_PER_SECOND (eval-gate.test.ts only): rate of its load; default 50.
// MESH_TEST_ENFORCER (network-policies.test.ts only) names a program that enforces NetworkPolicies, called with a kubeconfig: a script that
// starts kube-router with only its firewall (`--run-router=false --run-service-proxy=false`) suffices, and needs `ipset`.
const folder = process.env.MESH_TEST_CLUSTER
if (folder === undefined || !existsSync(join(folder, 'up.sh')) || !existsSync(join(folder, 'down.sh'))) {
  console.error('Real pods are NOT tested: MESH_TEST_CLUSTER must name a folder with up.sh and down.sh.')
  process.exit(1)
}
if (process.getuid?.() !== 0) {
  console.error('Real pods are NOT tested: a node needs root on Linux.')
  process.exit(1)
}
// Options of the runner that have a value, which is no path.
const valued = { name: { type: 'string' }, memory: { type: 'string' }, timeout: { type: 'string' } } as const
const { positionals } = parseArgs({ options: valued, allowPositionals: true, strict: false })
// The cluster of a run that was killed is still there. The runner kills its files, which then do not remove theirs.
removeCluster(folder)
process.once('exit', () => removeCluster(folder))
// One cluster at a time: the files share its name and addresses.
process.argv.push('--timeout', '900', '--concurrency', '1', ...(positionals.length > 0 ? [] : ['test/pods']))
await import('../../scripts/test.ts')
