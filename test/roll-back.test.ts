import assert from 'node:assert/strict'
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '#core/kube/client.ts'
import { findServer, needs } from '#test/harness/find-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { openGuide } from './pods/guide.ts'

// Notes its arguments, renders what is applied, and reports one pod that is ending, and one agent whose launcher is newer at first.
const recorder = (real: string, folder: string): string => `#!/bin/bash
n=$(cat '${folder}/calls' 2> /dev/null | wc -l)
echo "$*" >> '${folder}/calls'
case "$*" in
  apply*) '${real}' kustomize "\${@: -1}" > "${folder}/applied-$n.yaml" ;;
  *'get pods -A'*)
    echo 'r.example/agents/hello:2 r.example/mesh-launcher:0.0.9'
    [ "$(grep -c 'get pods -A' '${folder}/calls')" != 1 ] || echo 'r.example/mesh-launcher:0.0.10' ;;
  *'get pods'*) echo -n 'pod/mesh-gateway-old ' ;;
esac
`

const kindOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`
const isKept = (name: string): boolean => /^((Cluster)?Role(Binding)?|CustomResourceDefinition)\//.test(name)
const isDeployment = (name: string): boolean => name.startsWith('Deployment/')

interface Followed {
  /** The first two words of each call of kubectl, without the namespace. */
  readonly calls: readonly string[]
  /** Whole lines of the calls. */
  readonly lines: readonly string[]
  /** Objects that the call of this number applied. */
  applied(call: number): readonly KubeObject[]
}

/** Runs a section of the page in the overlay of each profile, with a kubectl that notes. */
async function follow(t: TestContext, section: string, check: (followed: Followed) => void): Promise<void> {
  const tools = tempFolder('rollback')
  t.after(tools.remove)
  const kubectl = join(tools.path, 'kubectl')
  writeFileSync(kubectl, recorder(findServer('kubectl') ?? '', tools.path))
  chmodSync(kubectl, 0o755)
  const variables = { PATH: `${tools.path}:${process.env['PATH'] ?? ''}`, VERSION: '0.0.9' }
  const guide = openGuide(t, variables)
  for (const profile of ['open', 'hardened']) {
    writeFileSync(join(tools.path, 'calls'), '')
    const overlay = join('deploy', 'overlays', `mine-${profile}`)
    const folder = join(guide.folder, overlay)
    cpSync(join(guide.folder, 'deploy', 'overlays', profile), folder, { recursive: true })
    await guide.with({ OVERLAY: overlay }).run(section)
    const lines = readFileSync(join(tools.path, 'calls'), 'utf8').trim().split('\n')
    check({
      lines,
      calls: lines.map((call) => call.replace('-n mesh-system ', '').split(' ').slice(0, 2).join(' ')),
      applied: (call) => objectsIn(readFileSync(join(tools.path, `applied-${call}.yaml`), 'utf8')),
    })
  }
}

function objectsIn(text: string): readonly KubeObject[] {
  return parseAllDocuments(text).map((one) => one.toJS() as KubeObject)
}

const replacedPods = ['apply --server-side', 'rollout status', 'get pods', 'wait --for=delete', 'apply --server-side']

test(
  'R2-CL-1: a rollback by the page replaces rights and CRDs when the pods that use them have ended',
  needs('kubectl'),
  (t) =>
    follow(t, 'Roll back', ({ calls, lines, applied }) => {
      assert.deepEqual(calls, replacedPods)
      assert.match(lines[3] ?? '', /pod\/mesh-gateway-old/)
      const [first, last] = [applied(0), applied(4)]
      const all = last.map(kindOf)
      assert.ok(all.filter(isKept).length > 20, 'rights and CRDs are applied last')
      assert.deepEqual(
        first.map(kindOf),
        all.filter((name) => !isKept(name)),
      )
      const pods = first.filter(({ kind }) => kind === 'Deployment')
      assert.equal(pods.length, 5)
      for (const pod of pods) assert.match(JSON.stringify(pod), /mesh-platform:0\.0\.9"/)
    }),
)

test(
  'R2-CL-1: a rollback past certificates replaces the manager, its rights, and the pods of agents, and no other',
  needs('kubectl'),
  (t) =>
    follow(t, 'Roll back past certificates', ({ calls, lines, applied }) => {
      assert.deepEqual(calls, [...replacedPods, 'get pods', 'get pods'], 'it waits for the newer launcher')
      assert.match(lines[3] ?? '', /pod\/mesh-gateway-old/)
      const [pod, rights] = [applied(0), applied(4)]
      const names = rights.map(kindOf)
      assert.deepEqual(names.filter(isDeployment), ['Deployment/mesh-manager'])
      assert.ok(names.includes('ClusterRole/mesh-manager'), 'rights of the manager are applied after its pod')
      assert.deepEqual(
        names.filter((name) => isKept(name) && !/\/mesh-manager/.test(name)),
        [],
      )
      assert.deepEqual(
        pod.map(kindOf),
        names.filter((name) => !isKept(name)),
      )
      const settings = pod.find(({ metadata }) => metadata.name.startsWith('mesh-settings'))
      assert.match(JSON.stringify(settings), /mesh-launcher:0\.0\.9"/)
    }),
)
