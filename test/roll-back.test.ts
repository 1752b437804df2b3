import assert from 'node:assert/strict'
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '#core/kube/client.ts'
import { findServer, needs } from '#test/harness/find-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { openGuide } from './pods/guide.ts'

// Notes its arguments, renders what is applied, and reports one pod that is ending.
const recorder = (real: string, folder: string): string => `#!/bin/bash
n=$(cat '${folder}/calls' 2> /dev/null | wc -l)
echo "$*" >> '${folder}/calls'
case "$*" in
  apply*) '${real}' kustomize "\${@: -1}" > "${folder}/applied-$n.yaml" ;;
  *'get pods'*) echo -n 'pod/mesh-gateway-old ' ;;
esac
`

const kindOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`
const isKept = (name: string): boolean => /^((Cluster)?Role(Binding)?|CustomResourceDefinition)\//.test(name)

test(
  'R2-CL-1: a rollback by the page replaces rights and CRDs when the pods that use them have ended',
  needs('kubectl'),
  async (t) => {
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
      await guide.with({ OVERLAY: overlay }).run('Roll back')
      const calls = readFileSync(join(tools.path, 'calls'), 'utf8').trim().split('\n')
      assert.deepEqual(
        calls.map((call) => call.replace('-n mesh-system ', '').split(' ').slice(0, 2).join(' ')),
        ['apply --server-side', 'rollout status', 'get pods', 'wait --for=delete', 'apply --server-side'],
      )
      assert.match(calls[3] ?? '', /pod\/mesh-gateway-old/)
      const [first, last] = [0, 4].map((n) =>
        parseAllDocuments(readFileSync(join(tools.path, `applied-${n}.yaml`), 'utf8')).map(
          (one) => one.toJS() as KubeObject,
        ),
      )
      const all = (last ?? []).map(kindOf)
      assert.ok(all.filter(isKept).length > 20, 'rights and CRDs are applied last')
      assert.deepEqual(
        (first ?? []).map(kindOf),
        all.filter((name) => !isKept(name)),
        profile,
      )
      const pods = (first ?? []).filter(({ kind }) => kind === 'Deployment')
      assert.equal(pods.length, 5)
      for (const pod of pods) assert.match(JSON.stringify(pod), /mesh-platform:0\.0\.9"/)
    }
  },
)
