import { chmodSync, existsSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { until } from '#test/chaos/until.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Cluster } from './cluster.ts'

/** An API server whose flags can change while the cluster runs, as with a static pod's manifest. */
export interface ApiServer {
  /** Program folder for `startCluster`. */
  readonly programs: string
  /** Restarts it with additional flags. Resolves when it is ready. */
  restartWith(cluster: Cluster, flags: readonly string[]): Promise<void>
}

// Restarts the API server when the file of additional flags appears. SIGTERM would wait a minute for open watches.
const wrapper = (program: string, folder: string): string => `#!/bin/bash
"${program}" "$@" & pid=$!
trap 'kill $pid' TERM
while [ ! -e "${folder}/flags" ] && kill -0 $pid 2> /dev/null; do sleep 0.2; done
kill -KILL $pid && wait $pid
mapfile -t more < "${folder}/flags"
touch "${folder}/restarted"
exec "${program}" "$@" "\${more[@]}"
`

/** Creates the folder: links to the cluster's programs, and a wrapper around the API server. */
export function makeApiServer(t: Scope): ApiServer {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const programs = process.env['CLUSTER_BIN'] ?? join(cache, 'mesh', 'cluster')
  const { path, remove } = tempFolder('programs')
  t.after(remove)
  for (const name of readdirSync(programs)) {
    if (name !== 'kube-apiserver') symlinkSync(join(programs, name), join(path, name))
  }
  writeFileSync(join(path, 'kube-apiserver'), wrapper(join(programs, 'kube-apiserver'), path))
  chmodSync(join(path, 'kube-apiserver'), 0o755)
  return {
    programs: path,
    restartWith: async (cluster, flags) => {
      writeFileSync(join(path, 'flags.new'), `${flags.join('\n')}\n`)
      renameSync(join(path, 'flags.new'), join(path, 'flags'))
      await until('the API server has stopped', () => existsSync(join(path, 'restarted')))
      await until('the API server is ready', async () => (await cluster.kubectl(['get', '--raw=/readyz'])) === 'ok')
    },
  }
}
