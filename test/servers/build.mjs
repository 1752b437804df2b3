// Builds the test servers from pinned Go modules into the user's cache; what is there already is kept.
// About five minutes on two cores the first time. node test/servers/build.mjs [--force]
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const out = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mesh', 'test-servers')

const modules = readFileSync(join(here, 'go.mod'), 'utf8')
const kubernetes = /k8s\.io\/kubernetes (v\S+)/.exec(modules)?.[1] ?? 'unknown'
const small = '-s -w'
// Without its version the API server calls itself v0.0.0-master, and kubectl refuses to trust what it offers.
const stamped = `${small} -X k8s.io/component-base/version.gitVersion=${kubernetes}`

// From go.mod (checked by go.sum), or a version of its own (checked by the Go checksum database).
const servers = [
  { name: 'etcd', package: 'go.etcd.io/etcd/server/v3', flags: small },
  { name: 'kube-apiserver', package: 'k8s.io/kubernetes/cmd/kube-apiserver', flags: stamped },
  { name: 'kubectl', package: 'k8s.io/kubernetes/cmd/kubectl', flags: stamped },
  { name: 'nats-server', package: 'github.com/nats-io/nats-server/v2', version: 'v2.15.2', flags: small },
  { name: 'versitygw', package: 'github.com/versity/versitygw/cmd/versitygw', version: 'v1.8.0', flags: small },
]

if (spawnSync('go', ['version']).status !== 0) {
  console.error(
    'Go 1.26 or newer is needed to build the test servers (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a folder that has them.',
  )
  process.exit(1)
}
mkdirSync(out, { recursive: true })
for (const server of servers) {
  if (existsSync(join(out, server.name)) && !process.argv.includes('--force')) {
    console.error(`${server.name}: there`)
    continue
  }
  console.error(`${server.name}: building ...`)
  build(server)
}
// The one line on standard output, for `export KUBEBUILDER_ASSETS=$(npm run -s test:servers)`.
console.log(out)

function build(server) {
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags', server.flags]
  const args =
    server.version === undefined
      ? ['build', ...flags, '-o', join(out, server.name), server.package]
      : ['install', ...flags, `${server.package}@${server.version}`]
  const env = { ...process.env, CGO_ENABLED: '0', GOBIN: out, GOTOOLCHAIN: 'auto' }
  const { status } = spawnSync('go', args, { cwd: here, env, stdio: ['ignore', 2, 2] })
  if (status !== 0) {
    console.error(`${server.name} could not be built: the lines above say why.`)
    process.exit(status ?? 1)
  }
}
