import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { parse } from 'yaml'
import { needs } from '#test/harness/find-server.ts'
import { startKube } from '#test/harness/kube.ts'
import type { KubeServer } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import type { KubectlResult } from '#test/harness/kubectl.ts'
import { openGuide } from './pods/guide.ts'

const served = ['team-a', 'team-b']
const profiles = ['open', 'hardened'] as const

/** Command lines of `kubectl auth can-i`, and whether the manager's account may. */
const rights: readonly (readonly [boolean, string])[] = [
  ...served.flatMap((namespace) =>
    [
      `list agentdeployments.mesh.dev -n ${namespace}`,
      `watch pods -n ${namespace}`,
      `create deployments.apps -n ${namespace}`,
      `delete secrets -n ${namespace}`,
      `watch namespaces/${namespace}`,
    ].map((line) => [true, line] as const),
  ),
  [true, 'watch tenants.mesh.dev'],
  [false, 'list secrets -n team-a'],
  [false, 'create secrets -n team-a'],
  [false, 'list agentdeployments.mesh.dev -n other'],
  [false, 'get pods -n mesh-system'],
  [false, 'get namespaces/other'],
  [false, 'list namespaces'],
  [false, 'list agentdeployments.mesh.dev -A'],
  [false, 'watch pods -A'],
  [false, 'create deployments.apps -A'],
]

test(
  'PODA: the commands for chosen namespaces bind the manager to these alone, in both profiles',
  needs('kube-apiserver', 'etcd', 'kubectl'),
  async (t) => {
    const kube = await startKube(t)
    const config = kube.kubeconfig(kube.tokens['admin'] ?? '')
    const connections = { DATABASE_URL: 'postgres://u:p@db/mesh', NATS_URL: 'nats://nats:4222' }
    const guide = openGuide(t, { KUBECONFIG: config, NAMESPACES: served.join(', '), ...connections })
    await guide.run('Connections')
    for (const profile of profiles) {
      const OVERLAY = `deploy/overlays/mine-${profile}`
      await guide.with({ PROFILE: profile, OVERLAY }).run('Overlay', 'Chosen namespaces')
      const apply = ['apply', '--server-side', '--force-conflicts', '-k', join(guide.folder, OVERLAY)]
      await succeed(config, [...apply, '--dry-run=server'])
      await succeed(config, apply)
      assert.deepEqual(await namespacesOfSettings(config), served, profile)
      await checkRights(kube, config, profile)
    }
  },
)

async function succeed(config: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await kubectl(config, args)
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
  return stdout
}

/** The list that the pods of the manager read: of the ConfigMap that its Deployment mounts. */
async function namespacesOfSettings(config: string): Promise<unknown> {
  const of = ['-n', 'mesh-system', 'get', '-o', 'json']
  const text = await succeed(config, [...of, 'deployment/mesh-manager'])
  const [name] = /mesh-config-\w+/.exec(text) ?? assert.fail(text)
  const { data } = JSON.parse(await succeed(config, [...of, `configmap/${name}`])) as { data: Record<string, string> }
  return (parse(data['mesh.yaml'] ?? '') as { cluster?: { namespaces?: unknown } }).cluster?.namespaces
}

async function checkRights(kube: KubeServer, config: string, profile: string): Promise<void> {
  const token = await succeed(config, ['-n', 'mesh-system', 'create', 'token', 'mesh-manager'])
  const own = kube.kubeconfig(token.trim())
  const ask = (line: string): Promise<KubectlResult> => kubectl(own, line.split(' '))
  for (const [may, line] of rights) {
    const { code, stdout, stderr } = await ask(`auth can-i ${line}`)
    assert.deepEqual([stdout.trim(), code], may ? ['yes', 0] : ['no', 1], `${profile}: ${line}: ${stderr}`)
  }
  // What the API server allows is what it serves.
  const shown = await ask('get namespaces --field-selector metadata.name=team-a -o name')
  assert.deepEqual([shown.stdout, shown.code], ['namespace/team-a\n', 0], shown.stderr)
  assert.match((await ask('get namespaces')).stderr, /Forbidden/)
  await succeed(config, ['wait', '--for=condition=Established', 'crd/agentdeployments.mesh.dev', '--timeout=60s'])
  assert.equal((await ask('get agentdeployments.mesh.dev -n team-b')).code, 0)
  assert.match((await ask('get agentdeployments.mesh.dev -A')).stderr, /Forbidden/)
}
