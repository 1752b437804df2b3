import assert from 'node:assert/strict'
import { appendFileSync, cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { Value } from 'typebox/value'
import { parse, parseAllDocuments } from 'yaml'
import { coreSettingsSchema } from '#core/config/core-settings.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { declareKeys } from '#core/host/load/plugin-keys.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { buildNamespaced, manifestsOfNamespace } from './flows/platform/namespaced-rights.ts'

const kinds = kindsOf(plugins)

interface Deployment {
  readonly spec: {
    readonly replicas: number
    readonly strategy?: { readonly rollingUpdate: { readonly maxUnavailable: number } }
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly [{ readonly env?: readonly { readonly name: string; readonly value: string }[] }]
      }
    }
  }
}

const base = new URL('../deploy/base/', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, base), 'utf8')
const { drain } = Value.Create(coreSettingsSchema)

function deploymentOf(role: string): Deployment {
  return parse(read(`${role}.yaml`).split('\n---\n')[0] ?? '') as Deployment
}

for (const role of ['bff', 'gateway', 'state', 'worker', 'manager']) {
  test(`X6: the kubelet waits longer for the ${role} than its drain may take`, () => {
    const { terminationGracePeriodSeconds, containers } = deploymentOf(role).spec.template.spec
    const configured = containers[0].env?.find(({ name }) => name === 'MESH_DRAIN_DELAY_SECONDS')?.value
    const delay = Number(configured ?? drain.delaySeconds)
    assert.ok(terminationGracePeriodSeconds >= 2 * delay + drain.graceSeconds + 5)
  })
}

test('X6: roles that listen serve on until load balancers know', () => {
  for (const role of ['bff', 'gateway', 'state'])
    assert.ok(read(`${role}.yaml`).includes("- name: MESH_DRAIN_DELAY_SECONDS\n              value: '5'"), role)
})

test('X6: an update or a drain of nodes takes no role with several replicas below all but one', () => {
  const budgets = parseAllDocuments(read('disruption-budgets.yaml')).map((one) => one.toJS() as object)
  for (const role of ['bff', 'gateway', 'state', 'worker']) {
    const { replicas, strategy } = deploymentOf(role).spec
    assert.ok(replicas > 1)
    assert.equal(strategy?.rollingUpdate.maxUnavailable, 0)
    assert.ok(
      budgets.some((one) =>
        JSON.stringify(one).includes(`"maxUnavailable":1,"selector":{"matchLabels":{"mesh.dev/role":"${role}"}}`),
      ),
      role,
    )
  }
})

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}
interface Manifest {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec?: unknown
  readonly data?: Readonly<Record<string, string>>
  readonly rules?: readonly Rule[]
  readonly roleRef?: { readonly name: string }
}
interface Container {
  readonly name: string
  readonly image: string
  readonly resources?: { readonly requests?: object; readonly limits?: object }
  readonly ports?: readonly { readonly containerPort: number }[]
}
interface PodSpec {
  readonly enableServiceLinks?: boolean
  readonly initContainers?: readonly Container[]
  readonly containers: readonly Container[]
  readonly securityContext: { readonly runAsUser?: number; readonly runAsNonRoot?: boolean; readonly fsGroup?: number }
  readonly topologySpreadConstraints?: readonly { readonly matchLabelKeys: readonly string[] }[]
}

const deploy = fileURLToPath(new URL('../deploy/', import.meta.url))
const profiles = ['open', 'hardened'] as const
const withKubectl = needs('kubectl')

async function build(folder: string): Promise<readonly Manifest[]> {
  const { code, stdout, stderr } = await kubectl('/nonexistent', ['kustomize', folder])
  assert.equal(code, 0, stderr)
  return parseAllDocuments(stdout).map((one) => one.toJS() as Manifest)
}

function podsOf(manifests: readonly Manifest[]): readonly (readonly [Manifest, PodSpec])[] {
  return manifests.flatMap((one) => {
    const { spec } = one as {
      spec?: { template?: { spec: PodSpec }; jobTemplate?: { spec: { template: { spec: PodSpec } } } }
    }
    const pod = spec?.template?.spec ?? spec?.jobTemplate?.spec.template.spec
    return pod === undefined || !['Deployment', 'CronJob', 'Job'].includes(one.kind) ? [] : [[one, pod] as const]
  })
}

for (const profile of profiles) {
  test(
    `PODA4: the overlay ${profile} has no object that cannot be applied again, and is whole`,
    withKubectl,
    async () => {
      const manifests = await build(join(deploy, 'overlays', profile))
      assert.equal(
        manifests.some(({ kind }) => kind === 'Job'),
        false,
        'the template of a Job is immutable',
      )
      const pods = podsOf(manifests)
      assert.deepEqual(pods.map(([{ metadata }]) => metadata.name).toSorted(), [
        'mesh-bff',
        'mesh-gateway',
        'mesh-keys-rotate',
        'mesh-manager',
        'mesh-restore',
        'mesh-state',
        'mesh-worker',
      ])
      for (const [{ kind, metadata }, pod] of pods) {
        assert.deepEqual(
          [pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser],
          [true, 65_532],
          metadata.name,
        )
        assert.equal(pod.enableServiceLinks, false, `${metadata.name}: links of Services set MESH_BFF_PORT, a setting`)
        for (const { image, resources } of [...(pod.initContainers ?? []), ...pod.containers]) {
          assert.equal(image, 'registry.example.com/mesh/mesh-platform:0.1.0')
          assert.ok(resources?.requests !== undefined && resources.limits !== undefined, metadata.name)
        }
        if (kind !== 'Deployment') continue
        assert.equal(pod.topologySpreadConstraints?.length, 2, metadata.name)
        assert.equal(pod.securityContext.fsGroup, 65_532, `${metadata.name} reads the files of its Secrets`)
      }
      const migrations = pods.flatMap(([{ metadata }, { initContainers = [] }]) =>
        initContainers.map(({ name }) => `${metadata.name} ${name}`),
      )
      assert.deepEqual(migrations, ['mesh-manager keys', 'mesh-manager migrate'])
      const settings = manifests.find(({ metadata }) => metadata.name.startsWith('mesh-settings-'))
      assert.equal(settings?.data?.['MESH_LAUNCHER_IMAGE'], 'registry.example.com/mesh/mesh-launcher:0.1.0')
      const file = manifests.find(({ metadata }) => metadata.name.startsWith('mesh-config-'))
      assert.equal(parse(file?.data?.['mesh.yaml'] ?? '').profile, profile)
      for (const one of manifests.filter(({ kind }) => kind === 'Secret')) {
        const { type, data } = one as Manifest & { type?: string }
        const content = [one.metadata.name, type, data, JSON.stringify(one).includes('stringData')]
        const token = ['mesh-keys-account', 'kubernetes.io/service-account-token', undefined, false]
        assert.deepEqual(content, token, 'no secret in a tracked file: the API server fills it')
      }
    },
  )
}

test('CON11: every role that may hold keys mounts its Secret, and rotation may write it', withKubectl, async () => {
  const manifests = await build(join(deploy, 'overlays', 'open'))
  const { byRole } = declareKeys(plugins, new Set())
  const writable = manifests.find(({ kind, metadata }) => kind === 'Role' && metadata.name === 'mesh-keys')?.rules ?? []
  for (const role of ['bff', 'gateway', 'state', 'worker', 'manager'] as const) {
    const name = `mesh-keys-${role}`
    const deployment = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === `mesh-${role}`)
    const text = JSON.stringify(deployment?.spec)
    assert.ok(text.includes('{"name":"MESH_KEYS_DIR","value":"/keys"}'), role)
    // The manager's pod makes its own Secret. Pods of other roles wait for theirs.
    const optional = role === 'manager' || !byRole.has(role)
    const volume = `"secret":{"defaultMode":288,${optional ? '"optional":true,' : ''}"secretName":"${name}"}`
    assert.ok(text.includes(volume), `${role}: ${volume}`)
    assert.ok(writable.some((rule) => rule.resourceNames?.includes(name) === true && rule.verbs.includes('update')))
  }
  const rotate = JSON.stringify(manifests.find(({ metadata }) => metadata.name === 'mesh-keys-rotate')?.spec)
  assert.match(rotate, /"configMap":\{"name":"mesh-config-/, 'plugins of mesh.yaml declare keys, too')
})

test(
  'the manager makes missing keys before it migrates, by an account that it does not have itself',
  withKubectl,
  async () => {
    for (const profile of profiles) {
      const manifests = await build(join(deploy, 'overlays', profile))
      const manager = podsOf(manifests).find(([{ metadata }]) => metadata.name === 'mesh-manager')?.[1]
      const mounts = (containers: readonly object[] = []) =>
        containers.map((one) => /"name":"keys-account"/.test(JSON.stringify(one)))
      assert.deepEqual(
        [mounts(manager?.initContainers), mounts(manager?.containers)],
        [[true, false], [false]],
        `${profile}: only the init container keys has the token`,
      )
      assert.deepEqual(
        manager?.initContainers?.map((one) => (one as { args?: unknown }).args),
        [['keys', 'init'], ['migrate']],
      )
      const bound = manifests.filter(
        (one) =>
          one.kind === 'RoleBinding' && one.roleRef?.name === 'mesh-keys' && one.metadata.namespace === 'mesh-system',
      )
      assert.deepEqual(
        bound.map((one) =>
          (one as Manifest & { subjects: readonly { name: string }[] }).subjects.map(({ name }) => name),
        ),
        [['mesh-keys']],
      )
    }
  },
)

test('no page creates a Job of a fixed name, which Kubernetes refuses the second time', () => {
  const pages = readdirSync(new URL('../docs/', import.meta.url), { recursive: true, encoding: 'utf8' })
  const fixed = pages
    .filter((page) => page.endsWith('.md') && !page.startsWith('decisions'))
    .flatMap(
      (page) => readFileSync(new URL(`../docs/${page}`, import.meta.url), 'utf8').match(/create job [\w-]+/g) ?? [],
    )
  assert.deepEqual(fixed, [])
})

test('kube-apiserver accepts the pods of both overlays', needs('kube-apiserver', 'etcd', 'kubectl'), async (t) => {
  const kube = await sharedKube(t)
  const pods = (await Promise.all(profiles.map((profile) => build(join(deploy, 'overlays', profile))))).flatMap(podsOf)
  // A Deployment with an invalid pod template is accepted; its pods are not.
  const items = pods.map(([{ metadata }, spec], index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${metadata.name}-${index}`, namespace: 'default', labels: { 'mesh.dev/role': 'x' } },
    spec: { ...spec, serviceAccountName: 'default' },
  }))
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  const config = kube.kubeconfig(kube.tokens['admin'] ?? '')
  const created = await kubectl(config, ['create', '--dry-run=server', '--validate=strict', '-f', '-'], list)
  assert.equal(created.code, 0, created.stderr)
})

test('a changed mesh.yaml gives every Deployment another pod template', withKubectl, async (t) => {
  const copy = tempFolder('deploy')
  t.after(copy.remove)
  cpSync(deploy, copy.path, { recursive: true })
  const overlay = join(copy.path, 'overlays', 'open')
  const templates = async () =>
    new Map(
      (await build(overlay)).flatMap((one) =>
        one.kind === 'Deployment' ? [[one.metadata.name, JSON.stringify(one.spec)]] : [],
      ),
    )
  const before = await templates()
  appendFileSync(join(overlay, 'mesh.yaml'), 'logLevel: debug\n')
  const after = await templates()
  assert.equal(before.size, 5)
  for (const [name, spec] of before) assert.notEqual(after.get(name), spec, name)
})

test('each optional component of the overlays can be switched on', withKubectl, async (t) => {
  const copy = tempFolder('deploy')
  t.after(copy.remove)
  cpSync(deploy, copy.path, { recursive: true })
  for (const profile of profiles) {
    const file = join(copy.path, 'overlays', profile, 'kustomization.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('  # - ../../', '  - ../../'))
    const manifests = await build(join(file, '..'))
    const accounts = manifests.filter(({ kind }) => kind === 'ServiceAccount')
    assert.ok(accounts.length >= 7 && accounts.every((one) => JSON.stringify(one).includes('"mesh-registry"')))
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    for (const name of ['Service mesh-manager', 'PodMonitor mesh', 'ClusterRole mesh-manager-cluster'])
      assert.ok(names.includes(name), `${profile}: ${name}`)
  }
})

test('the documented number of connections is that of the manifests', withKubectl, async () => {
  const manifests = await build(join(deploy, 'overlays', 'open'))
  const settings = manifests.find(({ metadata }) => metadata.name.startsWith('mesh-settings-'))
  const each = Number(settings?.data?.['MESH_DATABASE_CONNECTIONS']) + 1
  const replicas = manifests.flatMap((one) =>
    one.kind === 'Deployment' ? [(one.spec as { replicas: number }).replicas] : [],
  )
  const pods = replicas.reduce((sum, count) => sum + count, 0)
  const text = readFileSync(new URL('../docs/operations/install.md', import.meta.url), 'utf8')
  assert.match(text, new RegExp(`That is ${pods * each} for`))
  assert.match(text, new RegExp(`and ${(pods + replicas.length) * each} while`))
})

test(
  'PODS9: in the hardened overlay gateway and manager write nowhere and read no Secret until a namespace is bound',
  withKubectl,
  async () => {
    const manifests = await build(join(deploy, 'overlays', 'hardened'))
    const rulesOf = (name: string): readonly Rule[] => {
      const binding = manifests.find((one) => one.kind === 'ClusterRoleBinding' && one.metadata.name === name)
      const bound = manifests.find((one) => one.kind === 'ClusterRole' && one.metadata.name === binding?.roleRef?.name)
      return bound?.rules ?? assert.fail(`${name} is bound to no role`)
    }
    const pairs = (rules: readonly Rule[]) =>
      rules.flatMap(({ resources, verbs }) =>
        resources.flatMap((resource) => verbs.map((verb) => `${resource} ${verb}`)),
      )
    assert.deepEqual(pairs(rulesOf('mesh-gateway')), ['tokenreviews create'])
    const manager = pairs(rulesOf('mesh-manager'))
    assert.deepEqual(
      manager.filter((pair) => pair.startsWith('secrets') || !/(?:^events |\/status | (?:get|list|watch)$)/.test(pair)),
      ['subjectaccessreviews create'],
    )
    for (const { plural } of kinds) assert.ok(manager.includes(`${plural} watch`), plural)
    const folder = new URL('../deploy/components/namespaced-writes/bindings.yaml', import.meta.url)
    const bindings = parseAllDocuments(readFileSync(folder, 'utf8')).map((one) => one.toJS() as Manifest)
    assert.deepEqual(
      bindings.map(({ kind, roleRef }) => `${kind} ${roleRef?.name}`),
      ['RoleBinding mesh-gateway', 'RoleBinding mesh-manager', 'RoleBinding mesh-state-namespace'],
    )
  },
)

test('R2-CL-9: in the hardened overlay no account may read Secrets of the whole cluster', withKubectl, async () => {
  const namespaced = parseAllDocuments(await buildNamespaced('hardened')).map((one) => one.toJS() as Manifest)
  const shipped = await build(join(deploy, 'overlays', 'hardened'))
  for (const [component, manifests] of Object.entries({ 'namespaced-writes': shipped, namespaced })) {
    const roles = new Map(manifests.flatMap((one) => (one.kind === 'ClusterRole' ? [[one.metadata.name, one]] : [])))
    const bindings = manifests.filter(({ kind }) => kind === 'ClusterRoleBinding')
    assert.ok(bindings.length >= 3)
    for (const { metadata, roleRef } of bindings) {
      const rules = roles.get(roleRef?.name ?? '')?.rules ?? assert.fail(`${metadata.name} names an unknown role`)
      const wide = rules.filter(({ resources }) => resources.some((name) => name === '*' || name === 'secrets'))
      assert.deepEqual(wide, [], `${component}: ${metadata.name}`)
    }
  }
})

test(
  'R2-CL-9: what the bindings of one namespace and of the cluster grant is what open grants',
  withKubectl,
  async () => {
    const folder = new URL('../deploy/components/namespaced-writes/bindings.yaml', import.meta.url)
    const bound = parseAllDocuments(readFileSync(folder, 'utf8')).map((one) => one.toJS() as Manifest)
    const hardened = await build(join(deploy, 'overlays', 'hardened'))
    const open = await build(join(deploy, 'overlays', 'open'))
    for (const role of ['mesh-state', 'mesh-gateway', 'mesh-manager']) {
      const rulesBy = (bindings: readonly Manifest[], all: readonly Manifest[]): readonly string[] =>
        bindings
          .filter(({ kind, metadata }) => kind.endsWith('RoleBinding') && metadata.name === role)
          .flatMap(({ roleRef }) =>
            all.find((one) => one.kind === 'ClusterRole' && one.metadata.name === roleRef?.name),
          )
          .flatMap((one) => rulesAsPairs(one?.rules ?? []))
      const granted = new Set([...rulesBy(hardened, hardened), ...rulesBy(bound, hardened)])
      assert.deepEqual([...granted].toSorted(), [...new Set(rulesBy(open, open))].toSorted(), role)
    }
  },
)

const rulesAsPairs = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => [verb, `${resource}.${group}`, ...resourceNames].join(' '))),
    ),
  )

for (const profile of profiles)
  test(
    `PODA: with the component namespaced, ${profile} has no right on objects of all namespaces`,
    withKubectl,
    async () => {
      const readAll = (text: string) => parseAllDocuments(text).map((one) => one.toJS() as Manifest)
      const manifests = readAll(await buildNamespaced(profile))
      const accounts = ['bff', 'gateway', 'manager', 'state', 'worker']
      const isOurs = ({ metadata }: Manifest): boolean => accounts.some((role) => metadata.name === `mesh-${role}`)
      const bound = manifests
        .filter((one) => one.kind === 'ClusterRoleBinding' && isOurs(one))
        .map(({ roleRef }) => roleRef?.name)
      const cluster = manifests.filter(({ kind, metadata }) => kind === 'ClusterRole' && bound.includes(metadata.name))
      assert.deepEqual([...new Set(cluster.flatMap(({ rules = [] }) => rulesAsPairs(rules)))].toSorted(), [
        'create subjectaccessreviews.authorization.k8s.io',
        'create tokenreviews.authentication.k8s.io',
        'get tenants.mesh.dev',
        'get tenants/status.mesh.dev',
        'list tenants.mesh.dev',
        'patch tenants/status.mesh.dev',
        'update tenants/status.mesh.dev',
        'watch tenants.mesh.dev',
      ])
      // Together with those of one namespace they are the permissions of an installation for all namespaces.
      const own = readAll(manifestsOfNamespace('team-a'))
      for (const { kind, metadata } of own)
        assert.equal(metadata.namespace, kind.startsWith('ClusterRole') ? undefined : 'team-a', metadata.name)
      const everywhere = await build(join(deploy, 'overlays', 'open'))
      for (const role of accounts) {
        const of = (all: readonly Manifest[]): readonly string[] =>
          all
            .filter(({ kind, metadata }) => kind.endsWith('Role') && metadata.name === `mesh-${role}`)
            .flatMap(({ rules = [] }) => rulesAsPairs(rules))
        const wanted = of(everywhere).filter((pair) => !pair.includes(' namespaces.'))
        assert.deepEqual([...new Set([...of(own), ...of(manifests)])].toSorted(), [...new Set(wanted)].toSorted(), role)
      }
      const named = own.filter(({ kind }) => kind === 'ClusterRole').flatMap(({ rules = [] }) => rulesAsPairs(rules))
      assert.deepEqual(
        named,
        ['get', 'list', 'watch'].map((verb) => `${verb} namespaces. team-a`),
      )
    },
  )
