import assert from 'node:assert/strict'
import test from 'node:test'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { toVersions } from '../versions/revisions.ts'
import type { Revision } from '../versions/revisions.ts'
import { validateSpec } from './validate-spec.ts'
import { LAUNCHER_COMMAND } from './pod/image-layout.ts'
import { configText, toLauncherConfig } from './objects/launcher-config.ts'
import { toDeployment, toJob, toNetworkPolicy, toService } from './objects/build-objects.ts'
import { hasLostPort } from './pod/replace-lost-pods.ts'
import { toPodTemplate } from './pod/pod-template.ts'
import { deploymentProgress } from './status/workload-progress.ts'
import { planRevision, revisionsToPrune, toRevisionData } from './revision/plan-revision.ts'
import type { ReconcileSettings } from './settings.ts'
import { badPods, fullPod } from '#schemas/pod-samples.ts'
import { stableHash } from './stable-hash.ts'
import { statusEvents } from './events.ts'
import { toStatus } from './status/agent-status.ts'
import type { Findings } from './status/agent-status.ts'

const settings: ReconcileSettings = {
  launcherImage: 'registry.test/launcher:1',
  imagePullPolicy: 'IfNotPresent',
  gatewayUrl: 'http://gateway:4000',
  stateUrl: 'http://state:3002',
  systemNamespace: 'mesh-system',
  isolation: 'container',
  agentUser: 65533,
  launcherResources: { requests: { memory: '96Mi' }, limits: { memory: '512Mi' } },
  agentResources: { requests: { memory: '128Mi' }, limits: { memory: '1Gi' } },
  imagePullSecrets: [],
  podAnnotations: ['*'],
  hardened: false,
}
const declarative: AgentDeploymentSpec = { model: { route: 'mock' }, systemPrompt: 'You help.' }
const command: AgentDeploymentSpec = {
  image: 'agent:1',
  runtime: { command: ['python', 'a.py'], args: ['-v'], port: 9000 },
}
const resolved = { routes: ['demo/mock'] }
const now = new Date('2026-11-21T10:00:00.123Z')

function given(spec: AgentDeploymentSpec, more: Partial<AgentDeploymentObject> = {}): AgentDeploymentObject {
  const metadata = { name: 'bot', namespace: 'demo', uid: 'u1', generation: 3 }
  return { ...AgentDeployment.object({ metadata, spec }), ...more }
}
const workload = (agent: AgentDeploymentObject) => ({
  agent,
  revision: 'bot-abc',
  revisionNumber: 3,
  config: toLauncherConfig(agent, { spec: agent.spec, resolved }),
})
const environmentOf = (containers: readonly { env?: readonly { name: string; value?: string }[] }[], index = 0) =>
  Object.fromEntries((containers[index]?.env ?? []).map((one) => [one.name, one.value]))
const revision = (name: string, number: number): Revision => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name },
  revision: number,
})

test('given a declarative agent, then the launcher image runs its loop, unprivileged', () => {
  const { spec } = toPodTemplate(given(declarative), { configMap: 'cm', revisionNumber: 3 }, settings)
  const [container] = spec.containers
  assert.deepEqual([container?.name, container?.image], ['agent', settings.launcherImage])
  assert.ok(container !== undefined && 'command' in container && !('args' in container))
  assert.equal('initContainers' in spec, false)
  assert.equal(environmentOf(spec.containers)['MODEL_GATEWAY_URL'], 'http://gateway:4000')
})

const forms: Readonly<Record<string, AgentDeploymentSpec>> = {
  image: { image: 'agent:1' },
  'image with a command': command,
  'command without an image': { runtime: { command: ['run', 'it'] } },
}
const every = { declarative, ...forms }
const containersOf = (spec: AgentDeploymentSpec, with_: ReconcileSettings = settings) => {
  const pod = toPodTemplate(given(spec), { configMap: 'cm', revisionNumber: 3 }, with_).spec
  return { pod, all: [...('initContainers' in pod ? (pod.initContainers ?? []) : []), ...pod.containers] }
}

test('PODS2, PODS3, F8: an agent process has a container of its own, the launcher is a sidecar of the platform’s image', () => {
  for (const [form, spec] of Object.entries(forms)) {
    const { pod } = containersOf(spec)
    assert.ok('initContainers' in pod, form)
    const [launcher, ...others] = pod.initContainers ?? []
    assert.deepEqual(others, [], `${form}: nothing is copied into the agent's file system`)
    assert.deepEqual([launcher?.name, launcher?.restartPolicy], ['launcher', 'Always'])
    assert.deepEqual([launcher?.image, launcher?.command], [settings.launcherImage, LAUNCHER_COMMAND])
    const [agent] = pod.containers
    assert.equal(agent?.image, spec.image ?? settings.launcherImage)
    assert.deepEqual(
      agent?.volumeMounts.map((one) => one.name),
      ['agent-tokens'],
      `${form}: no key, no token and no configuration of the launcher`,
    )
    assert.ok(!('shareProcessNamespace' in pod) && !JSON.stringify(pod).includes('launcher-files'))
  }
  const commandOf = (spec: AgentDeploymentSpec) => {
    const [agent] = containersOf(spec).pod.containers
    return agent !== undefined && 'command' in agent ? [agent.command, 'args' in agent && agent.args] : []
  }
  assert.deepEqual(commandOf(command), [['python', 'a.py'], ['-v']])
  assert.deepEqual(commandOf({ image: 'agent:1' }), [], 'the image keeps its entrypoint')
  assert.deepEqual(commandOf({ runtime: { command: ['run'] } })[0], ['/mesh/tini', '-g', '--', 'run'])
})

test('SEC8, PODS1, F8: no variable of the user is in a launcher, whatever its name', () => {
  const names = ['NODE_OPTIONS', 'LD_PRELOAD', 'LD_AUDIT', 'PATH', 'HTTP_PROXY', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']
  const more = [
    'OPENSSL_CONF',
    'GLIBC_TUNABLES',
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'MESH_LOG_LEVEL',
    'MESH_CANCEL_GRACE_SECONDS',
    'OWN',
  ]
  const env = [...names, ...more].map((name) => ({ name, value: 'x' }))
  for (const [form, spec] of Object.entries(every)) {
    const bare = containersOf(spec).all
    const { all } = containersOf({ ...spec, runtime: { ...spec.runtime, env } })
    assert.deepEqual(
      environmentOf(all, 0),
      environmentOf(bare, 0),
      `${form}: the launcher's variables are the platform's`,
    )
    if (form === 'declarative') continue
    const agent = environmentOf(all, 1)
    assert.deepEqual(
      env.filter(({ name }) => agent[name] !== 'x'),
      [],
      `${form}: the agent has them all`,
    )
    assert.deepEqual(
      [agent['STATE_URL'], agent['MESH_STATE_TOKEN_FILE'], agent['MESH_KEY_FILE']],
      [undefined, undefined, undefined],
    )
  }
})

test('SEC8: what would not be used, or is the platform’s, is refused with its name', () => {
  const refused = (spec: AgentDeploymentSpec) => validateSpec(given(spec), settings)
  const env = [{ name: 'NODE_OPTIONS', value: '--import=data:text/javascript,1' }]
  assert.equal(refused({ ...declarative, runtime: { env } })?.reason, 'RuntimeNotUsed')
  assert.equal(refused({ ...declarative, runtime: { port: 9000 } }), undefined)
  const reserved = refused({
    image: 'agent:1',
    runtime: { env: [{ name: 'MODEL_GATEWAY_URL', value: 'http://evil' }] },
  })
  assert.deepEqual([reserved?.reason, reserved?.message.includes('MODEL_GATEWAY_URL')], ['ReservedVariable', true])
  const secretKeyRef = (name: string) => [{ name: 'K', valueFrom: { secretKeyRef: { name, key: 'agent.key' } } }]
  assert.equal(
    refused({ image: 'a:1', runtime: { env: secretKeyRef('bot.keys.mesh.dev') } })?.reason,
    'KeysNotForAgent',
  )
  assert.equal(refused({ image: 'a:1', runtime: { env: secretKeyRef('other') } }), undefined)
  assert.equal(refused({ image: 'a:1', runtime: { env } }), undefined)
})

test('PODS8, PODA12, H2: every container of every form is within Pod Security restricted; hardened writes no root file system', () => {
  for (const hardened of [false, true])
    for (const [form, spec] of Object.entries(every)) {
      const { pod, all } = containersOf(spec, { ...settings, hardened })
      assert.deepEqual(
        [pod.securityContext.runAsNonRoot, pod.securityContext.seccompProfile.type],
        [true, 'RuntimeDefault'],
      )
      for (const { name, securityContext: context } of all) {
        const { runAsUser, allowPrivilegeEscalation, runAsNonRoot, capabilities } = context
        assert.ok(runAsUser > 0 && runAsNonRoot && !allowPrivilegeEscalation, `${form}: ${name}`)
        assert.deepEqual(capabilities, { drop: ['ALL'] }, `${form}: ${name}`)
        const isLauncher = name === 'launcher' || form === 'declarative'
        assert.equal('readOnlyRootFilesystem' in context, isLauncher || hardened, `${form}: ${name}`)
        assert.equal(runAsUser, isLauncher ? 65532 : 65533)
      }
    }
})

test('PODA22: the platform writes nothing to the storage of a node for an agent: what its container has is read-only', () => {
  for (const hardened of [false, true])
    for (const [form, spec] of Object.entries(every)) {
      const { pod, all } = containersOf(spec, { ...settings, hardened })
      const ours = all.filter(({ name }) => name === 'launcher' || form === 'declarative')
      assert.equal(ours.length, 1, form)
      for (const { securityContext, volumeMounts } of ours) {
        assert.ok('readOnlyRootFilesystem' in securityContext && securityContext.readOnlyRootFilesystem, form)
        assert.deepEqual(
          volumeMounts.filter((mount) => !('readOnly' in mount && mount.readOnly)),
          [],
          form,
        )
      }
      // The only one is for the agent: /tmp where its root file system is read-only.
      const written = pod.volumes.filter((volume) => 'emptyDir' in volume)
      assert.equal(written.length, hardened && form !== 'declarative' ? 1 : 0, form)
    }
})

test('PODA11: every container has resources, its spec’s or the settings’', () => {
  const own = { requests: { cpu: '2' } }
  for (const [form, spec] of Object.entries(every)) {
    for (const { name, resources } of containersOf(spec).all)
      assert.ok(resources.limits?.['memory'] !== undefined, `${form}: ${name}`)
    assert.deepEqual(containersOf({ ...spec, resources: own }).all.at(-1)?.resources, own)
  }
})

test('PODS4: the launcher binds its ports before the agent starts, and its end ends the agent', () => {
  const { pod } = containersOf(command)
  const [launcher] = 'initContainers' in pod ? (pod.initContainers ?? []) : []
  assert.deepEqual(launcher?.startupProbe.httpGet, { path: '/livez', port: 8080, scheme: 'HTTPS' })
  const [agent] = pod.containers
  assert.ok(agent !== undefined && 'livenessProbe' in agent)
  assert.deepEqual(agent.livenessProbe.httpGet, { path: '/agent/livez', port: 8080, scheme: 'HTTPS' })
})

test('PODS4: a pod whose launcher found its port taken is lost; one whose launcher runs again is not', () => {
  const pod = (state: object, lastState: object = {}, metadata: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ...metadata },
    status: { initContainerStatuses: [{ name: 'launcher', state, lastState }] },
  })
  const ended = (exitCode: number) => ({ terminated: { exitCode } })
  assert.ok(hasLostPort(pod(ended(98))))
  assert.ok(hasLostPort(pod({ waiting: { reason: 'CrashLoopBackOff' } }, ended(98))))
  assert.ok(!hasLostPort(pod({ running: {} }, ended(98))))
  assert.ok(!hasLostPort(pod(ended(137))))
  assert.ok(!hasLostPort(pod(ended(98), {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })))
})

test('P3: a pod serves on until workers and the cluster know that it ends, and has its whole grace after that', () => {
  for (const spec of [declarative, command]) {
    const { pod } = containersOf(spec)
    assert.equal(pod.terminationGracePeriodSeconds - 3, 30)
    const [container] = pod.containers
    // A process of its own is ended when the launcher says that its runs have ended.
    const expected =
      spec === declarative ? { sleep: { seconds: 3 } } : { httpGet: { path: '/idle', port: 8080, scheme: 'HTTPS' } }
    assert.deepEqual(container?.lifecycle.preStop, expected)
  }
})

test('PODA3: the group of the mounted tokens is that of both containers', () => {
  const { pod } = containersOf(command)
  assert.equal(pod.securityContext.fsGroup, 65532)
  const token = pod.volumes.find(({ name }) => name === 'agent-tokens')
  assert.ok(token !== undefined && 'projected' in token && token.projected?.defaultMode === 0o440)
})

test('each address is injected only when something is bound to it', () => {
  const bound: AgentDeploymentSpec = {
    ...declarative,
    memory: { session: {} },
    registries: [{ name: 'team' }],
    tools: [{ name: 'search', bindingRef: { name: 'search' } }],
  }
  const plain = environmentOf(
    toPodTemplate(given(declarative), { configMap: 'cm', revisionNumber: 3 }, settings).spec.containers,
  )
  const all = environmentOf(
    toPodTemplate(given(bound), { configMap: 'cm', revisionNumber: 3 }, { ...settings, otlpEndpoint: 'http://c' }).spec
      .containers,
  )
  const names = [
    'MEMORY_BACKEND_ADDR',
    'MEMORY_PORT',
    'A2A_PORT',
    'AGENT_REGISTRY_ID',
    'DISCOVERY_PORT',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ]
  for (const name of names) {
    assert.equal(plain[name], undefined, name)
    assert.notEqual(all[name], undefined, name)
  }
  assert.equal(all['MEMORY_KEY_NAMESPACE'], 'demo/bot/u1')
})

test('given another number of replicas or another label, then no pod is replaced; given another prompt, they are', () => {
  const template = (agent: AgentDeploymentObject) => JSON.stringify(toDeployment(workload(agent), settings)['spec'])
  const withoutReplicas = (text: string) => text.replace(/"replicas":\d+,/, '')
  const base = template(given(declarative))
  assert.equal(withoutReplicas(template(given({ ...declarative, scaling: { replicas: 4 } }))), withoutReplicas(base))
  const plain = given(declarative)
  const labelled = { ...plain, metadata: { ...plain.metadata, labels: { team: 'x' } } }
  assert.equal(template(labelled), base)
  assert.notEqual(template(given({ ...declarative, systemPrompt: 'Other.' })), base)
})

test('given two bounds, then what an autoscaler chose between them stays; given a number, then that', () => {
  const replicas = (scaling: AgentDeploymentSpec['scaling'], chosen?: number) => {
    const live = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'bot' },
      spec: { replicas: chosen ?? 1 },
    }
    const agent = given({ ...declarative, ...(scaling === undefined ? {} : { scaling }) })
    const made = toDeployment(workload(agent), settings, chosen === undefined ? undefined : live)
    return (made.spec as { replicas?: number }).replicas
  }
  const bounds = { minReplicas: 2, maxReplicas: 5 }
  assert.deepEqual([replicas(bounds), replicas(bounds, 4), replicas(bounds, 9), replicas(bounds, 0)], [2, 4, 5, 2])
  assert.deepEqual([replicas(undefined, 3), replicas({ replicas: 3 }, 7), replicas({ replicas: 0 })], [1, 3, 0])
})

test('a rollout replaces no pod before the new one is ready', () => {
  const { spec } = toDeployment(workload(given(declarative)), settings) as {
    spec?: { strategy?: { rollingUpdate?: unknown } }
  }
  assert.deepEqual(spec?.strategy?.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 })
})

test('every object belongs to its agent, by uid, and is found by its label', () => {
  const agent = given(declarative)
  for (const object of [
    toDeployment(workload(agent), settings),
    toJob(workload(agent), settings),
    toService(agent),
    toNetworkPolicy(agent, settings),
  ]) {
    assert.equal(object.metadata.ownerReferences?.[0]?.uid, 'u1')
    assert.equal(object.metadata.labels?.['mesh.dev/agent'], 'bot')
  }
})

test('the launcher is told resolved routes and wire names, in a text that does not depend on key order', () => {
  const agent = given({ ...declarative, model: { route: 'mock', fallbackRoutes: ['b'], params: { maxTokens: 5 } } })
  const config = toLauncherConfig(agent, { spec: agent.spec, resolved: { routes: ['demo/mock', 'demo/b'] } })
  assert.deepEqual(config.model, { route: 'demo/mock', fallbackRoutes: ['demo/b'], requestFields: { max_tokens: 5 } })
  assert.equal(
    configText({ ...config }),
    configText(Object.fromEntries(Object.entries(config).toReversed()) as typeof config),
  )
})

test('a name made of a hash is a DNS label and depends on content only', () => {
  assert.match(stableHash({ a: 1, b: [2] }), /^[a-z2-7]{10}$/)
  assert.equal(stableHash({ a: 1, b: 2 }), stableHash({ b: 2, a: 1 }))
  assert.notEqual(stableHash({ a: [1, 2] }), stableHash({ a: [2, 1] }))
})

test('given what cannot be enforced yet, then the spec is not accepted and says why', () => {
  const reason = (spec: AgentDeploymentSpec, more: Partial<ReconcileSettings> = {}) =>
    validateSpec(given(spec), { ...settings, ...more })?.reason
  assert.equal(reason({ ...declarative, budget: { amount: '5.00' } }), 'BudgetNotEnforcedYet')
  assert.equal(reason({ ...declarative, evalGate: { suiteRef: { name: 's' }, minScore: 1 } }), 'EvalGateNotAvailable')
  assert.equal(reason({ ...declarative, executionModel: 'job' }), 'JobNeedsProcess')
  assert.equal(reason(command), undefined)
  assert.equal(reason(command, { hardened: true }), 'ImageNeedsDigest')
  const byDigest = { ...command, image: `agent@sha256:${'a'.repeat(64)}` }
  assert.equal(reason(byDigest, { hardened: true }), undefined)
  assert.equal(reason(byDigest, { hardened: true, isolation: 'none' }), 'IsolationNotPossible')
})

test('given new content, then a revision is created; given the newest, nothing; given an older one, its number is raised', () => {
  const agent = given(declarative)
  const data = { spec: agent.spec, resolved }
  const first = planRevision(agent, data, [])
  assert.ok(first.do === 'create')
  assert.equal(first.object.revision, 1)
  assert.equal(first.object.metadata.annotations?.['mesh.dev/summary'], 'first revision')
  assert.equal(planRevision(agent, data, [revision(first.name, 1)]).do, 'nothing')
  const again = planRevision(agent, data, [revision(first.name, 1), revision('bot-other', 2)])
  assert.ok(again.do === 'raise')
  assert.equal(again.revision, 3)
  assert.equal(again.annotations['mesh.dev/source'], 'rollback')
})

test('UXM6, UXL16: a rollback is what returns to an old revision, whatever its agent says; it keeps its numbers', () => {
  const annotations = { 'mesh.dev/rollback-to': '1' }
  const agent = given(declarative, { metadata: { ...given(declarative).metadata, annotations, resourceVersion: '77' } })
  const data = toRevisionData(agent, resolved)
  const edited = planRevision(agent, data, [revision('bot-old', 1), revision('bot-other', 2)])
  assert.ok(edited.do === 'create')
  assert.equal(edited.object.metadata.annotations?.['mesh.dev/source'], 'update', 'an old annotation of the agent')
  const before = revision(edited.name, 4)
  const kept = { ...before, metadata: { ...before.metadata, annotations: { 'mesh.dev/revision-history': '1,3' } } }
  const back = planRevision(agent, data, [kept, revision('bot-other', 5)])
  assert.ok(back.do === 'raise')
  assert.deepEqual(back.annotations, {
    'mesh.dev/source': 'rollback',
    'mesh.dev/rollback-to': '4',
    'mesh.dev/revision-history': '1,3,4',
    'mesh.dev/summary': 'changed model, systemPrompt',
    'mesh.dev/created-by-exact': 'false',
    'mesh.dev/change': '77',
  })
})

test('UXM7: a revision keeps its summary when the one before it is pruned, or renumbered by a rollback', () => {
  const specs = ['first', 'second', 'first'].map((systemPrompt) => ({ ...declarative, systemPrompt }))
  let kept: Revision[] = []
  for (const spec of specs) {
    const agent = given(spec)
    const plan = planRevision(agent, toRevisionData(agent, resolved), kept)
    assert.ok(plan.do !== 'nothing')
    const made =
      plan.do === 'create' ? (plan.object as Revision) : kept.find(({ metadata }) => metadata.name === plan.name)
    assert.ok(made)
    const annotations = plan.do === 'create' ? made.metadata.annotations : plan.annotations
    const changed = { ...made, revision: plan.revision, metadata: { ...made.metadata, annotations: annotations ?? {} } }
    kept = [changed, ...kept.filter((one) => one !== made)]
  }
  const summaries = (revisions: readonly Revision[]) =>
    toVersions(given(declarative), revisions).map(({ revision: number, summary }) => [number, summary])
  const rolledBack = [
    [3, 'changed systemPrompt'],
    [2, 'changed systemPrompt'],
  ]
  assert.deepEqual(summaries(kept), rolledBack)
  assert.deepEqual(summaries(kept.slice(0, 1)), rolledBack.slice(0, 1))
})

test('PODA11, decision 8: pods have the placement, pull secrets and launcher resources of their spec, and nothing else of it', () => {
  const pod = {
    nodeSelector: { pool: 'gpu' },
    tolerations: [{ key: 'gpu', operator: 'Exists' as const, effect: 'NoSchedule' as const }],
    imagePullSecrets: [{ name: 'registry' }],
    launcherResources: { limits: { memory: '1Gi' } },
  }
  const hostile = {
    hostNetwork: true,
    serviceAccountName: 'admin',
    volumes: [
      { name: 'agent-keys', hostPath: {} },
      { name: 'root', hostPath: { path: '/' } },
    ],
    volumeMounts: [{ name: 'agent-keys', mountPath: '/k' }],
  }
  const { spec } = toPodTemplate(
    given({ ...command, pod: { ...pod, ...hostile } }),
    { configMap: 'c', revisionNumber: 1 },
    settings,
  )
  const { launcherResources, ...placement } = pod
  assert.deepEqual({ ...spec, ...placement }, spec)
  const plain = toPodTemplate(given(command), { configMap: 'c', revisionNumber: 1 }, settings).spec
  assert.deepEqual(Object.keys(spec).toSorted(), [...Object.keys(plain), ...Object.keys(placement)].toSorted())
  assert.deepEqual([spec.volumes, spec.serviceAccountName], [plain.volumes, 'bot'])
  assert.deepEqual(spec.containers[0]?.volumeMounts, plain.containers[0]?.volumeMounts)
  const [launcher] = 'initContainers' in spec ? spec.initContainers : []
  assert.deepEqual(launcher?.resources, launcherResources)
})

test('decision 8: volumes, mounts, affinity and annotations reach the pod and the agent, and nothing of them its launcher', () => {
  for (const form of Object.values(forms)) {
    const plain = containersOf(form)
    const { pod, all } = containersOf({ ...form, pod: fullPod })
    const [launcher, agent] = all
    assert.deepEqual({ ...launcher, resources: {} }, { ...plain.all[0], resources: {} })
    assert.deepEqual(agent?.volumeMounts.slice(1), fullPod.volumeMounts)
    assert.deepEqual(pod.volumes.slice(plain.pod.volumes.length), fullPod.volumes)
    assert.ok('affinity' in pod && pod.affinity === fullPod.affinity)
    const { metadata } = toPodTemplate(
      given({ ...form, pod: fullPod }),
      { configMap: 'c', revisionNumber: 1 },
      settings,
    )
    assert.deepEqual(metadata.annotations, fullPod.annotations)
    assert.equal(validateSpec(given({ ...form, pod: fullPod }), settings), undefined)
  }
  const volumes = [{ name: 'mine', emptyDir: {} }]
  const volumeMounts = [{ name: 'mine', mountPath: '/tmp' }]
  const hardened = containersOf({ ...command, pod: { volumes, volumeMounts } }, { ...settings, hardened: true })
  assert.deepEqual(
    hardened.all[1]?.volumeMounts.map(({ name, mountPath }) => `${name} ${mountPath}`),
    ['agent-tokens /var/run/secrets/mesh/agent', 'mine /tmp'],
    'one mount at /tmp',
  )
})

test('decision 8: a spec.pod that breaks a rule is refused by the manager too, with its field', () => {
  for (const { pod, says } of badPods) {
    const refused = validateSpec(given({ ...command, pod } as AgentDeploymentSpec), settings)
    const expected = says.startsWith('Secrets with') ? 'KeysNotForAgent' : /^(PodNotAllowed|AnnotationNotAllowed)$/
    assert.match(refused?.reason ?? '', new RegExp(expected), JSON.stringify(pod))
    assert.match(refused?.message ?? '', /^spec\.pod\./)
  }
  const volumes = [{ name: 'v', emptyDir: {} }]
  const reason = (spec: AgentDeploymentSpec, more: Partial<ReconcileSettings> = {}) =>
    validateSpec(given(spec), { ...settings, ...more })?.reason
  assert.equal(reason({ ...declarative, pod: { volumes } }), 'VolumesNotUsed')
  assert.equal(reason({ ...command, pod: { volumes } }, { isolation: 'none' }), 'VolumesNeedContainers')
})

test('decision 8: annotations that have pods changed need the operator’s word, and hardened every domain', () => {
  const reason = (key: string, podAnnotations: readonly string[]) =>
    validateSpec(given({ ...command, pod: { annotations: { [key]: 'x' } } }), { ...settings, podAnnotations })?.reason
  const injectors = ['sidecar.istio.io/inject', 'vault.hashicorp.com/agent-inject', 'k8s.v1.cni.cncf.io/networks']
  for (const key of [...injectors, 'instrumentation.opentelemetry.io/inject-nodejs']) {
    assert.equal(reason(key, ['*']), 'AnnotationNotAllowed', key)
    assert.equal(reason(key, [key.split('/')[0] ?? '']), undefined, key)
  }
  assert.equal(reason('prometheus.io/scrape', ['*']), undefined)
  assert.equal(reason('prometheus.io/scrape', []), 'AnnotationNotAllowed')
  assert.equal(reason('notprometheus.io/scrape', ['prometheus.io']), 'AnnotationNotAllowed')
  assert.equal(reason('a.prometheus.io/scrape', ['prometheus.io']), undefined)
  assert.equal(reason('mesh.dev/revision', ['mesh.dev', '*']), 'PodNotAllowed')
  assert.equal(reason('team', []), undefined)
})

test('every pod has the pull secrets of the operator, each once', () => {
  const pod = (spec: AgentDeploymentSpec) => containersOf(spec, { ...settings, imagePullSecrets: ['a', 'b'] }).pod
  const names = (spec: AgentDeploymentSpec) => {
    const made = pod(spec)
    return 'imagePullSecrets' in made ? made.imagePullSecrets.map(({ name }) => name) : []
  }
  for (const spec of Object.values(every)) assert.deepEqual(names(spec), ['a', 'b'])
  assert.deepEqual(names({ ...command, pod: { imagePullSecrets: [{ name: 'b' }, { name: 'c' }] } }), ['b', 'c', 'a'])
})

test('a rollback to content that had pods replaces none of them: they keep the first number of their content', () => {
  const agent = given(declarative)
  const data = toRevisionData(agent, resolved)
  const created = planRevision(agent, data, [])
  const old = revision(created.name, 1)
  const other = revision('bot-other', 2)
  const raised = planRevision(agent, data, [old, other])
  assert.ok(raised.do === 'raise')
  const now3 = { ...revision(created.name, 3), metadata: { name: created.name, annotations: raised.annotations } }
  const after = planRevision(agent, data, [now3, other])
  const twice = planRevision(agent, data, [now3, revision('bot-other', 4)])
  assert.deepEqual(
    [created, raised, after, twice].map((plan) => [plan.do, plan.revision, plan.first]),
    [
      ['create', 1, 1],
      ['raise', 3, 1],
      ['nothing', 3, 1],
      ['raise', 5, 1],
    ],
  )
})

test('UXM17: another number of replicas is no other revision', () => {
  const name = (spec: AgentDeploymentSpec) => {
    const agent = given(spec)
    return planRevision(agent, toRevisionData(agent, resolved), []).name
  }
  assert.equal(name({ ...declarative, scaling: { replicas: 4 } }), name(declarative))
})

test('UXM8: a launcher reads the number of its revision from its pod, and its configuration does not depend on it', () => {
  for (const spec of [declarative, command]) {
    const { metadata, spec: pod } = toPodTemplate(given(spec), { configMap: 'c', revisionNumber: 7 }, settings)
    assert.equal(metadata.labels['mesh.dev/revision-number'], '7')
    const [launcher] = 'initContainers' in pod ? pod.initContainers : pod.containers
    assert.deepEqual(launcher?.env.find(({ name: variable }) => variable === 'MESH_AGENT_REVISION')?.valueFrom, {
      fieldRef: { fieldPath: "metadata.labels['mesh.dev/revision-number']" },
    })
    assert.equal(configText(workload(given(spec)).config).includes('revision'), false)
  }
})

test('the oldest revisions beyond the limit go, but none that is in use', () => {
  const all = [1, 2, 3, 4, 5].map((number) => revision(`r${number}`, number))
  const pruned = (limit: number) => revisionsToPrune(all, limit, new Set(['r5', 'r1'])).map((one) => one.metadata.name)
  assert.deepEqual([pruned(1), pruned(3), pruned(10)], [['r2', 'r3'], [], []])
})

const finding = (more: Partial<Findings> = {}): Findings => ({
  agent: given(declarative),
  refusal: undefined,
  unresolved: undefined,
  blocked: undefined,
  deployed: 'bot-new',
  progress: { serving: true, complete: true, scaledToZero: false, failure: undefined },
  podProblem: undefined,
  ...more,
})
const conditionsOf = (found: Findings) =>
  Object.fromEntries(
    (toStatus(found, settings, now).conditions ?? []).map((one) => [one.type, `${one.status} ${one.reason}`]),
  )

test('given everything runs, then the revision serves and nothing is degraded', () => {
  const status = toStatus(finding(), settings, now)
  assert.deepEqual(
    [status.currentRevision, status.candidateRevision, status.url],
    ['bot-new', undefined, 'https://bot.demo.svc:8080'],
  )
  assert.deepEqual(conditionsOf(finding()), {
    Accepted: 'True Accepted',
    ResolvedRefs: 'True ResolvedRefs',
    EvalGated: 'False NoGate',
    Isolated: 'True NoAgentProcess',
    Ready: 'True Serving',
    Degraded: 'False AsExpected',
  })
  assert.equal(status.conditions?.[0]?.lastTransitionTime, '2026-11-21T10:00:00Z')
})

test('given a broken new revision, then the last good one still serves and the condition says why', () => {
  const before = { currentRevision: 'bot-old', latestSuccessfulRevision: 'bot-old', conditions: [] }
  const broken = finding({
    agent: given(declarative, { status: before }),
    progress: { serving: true, complete: false, scaledToZero: false, failure: undefined },
    podProblem: { reason: 'CrashLoopBackOff', message: 'exited with code 3' },
  })
  const status = toStatus(broken, settings, now)
  assert.deepEqual([status.currentRevision, status.candidateRevision], ['bot-old', 'bot-new'])
  const conditions = conditionsOf(broken)
  assert.deepEqual([conditions['Ready'], conditions['Degraded']], ['True Serving', 'True CrashLoopBackOff'])
  assert.deepEqual(
    statusEvents(broken.agent, status).map((one) => [one.type, one.reason]),
    [
      ['Normal', 'Ready'],
      ['Warning', 'CrashLoopBackOff'],
    ],
  )
})

test('given a spec that was never able to run, then it is not ready and says why', () => {
  const refused = finding({
    refusal: { reason: 'BudgetNotEnforcedYet', message: 'x' },
    deployed: undefined,
    progress: undefined,
  })
  const conditions = conditionsOf(refused)
  assert.deepEqual(
    [conditions['Accepted'], conditions['ResolvedRefs'], conditions['Ready'], conditions['Degraded']],
    ['False BudgetNotEnforcedYet', 'Unknown NotAccepted', 'False BudgetNotEnforcedYet', 'True BudgetNotEnforcedYet'],
  )
  assert.equal(toStatus(refused, settings, now).currentRevision, undefined)
})

test('a transition time stays while the status of its condition does', () => {
  const first = toStatus(finding(), settings, now)
  const agent = given(declarative, { status: first })
  const later = toStatus(finding({ agent }), settings, new Date('2026-11-21T11:00:00Z'))
  assert.deepEqual(later, first)
  assert.deepEqual(statusEvents(agent, later), [])
})

test('P5, SEC12: Isolated is true where the agent has a container of its own, and says in whose reach the tokens are', () => {
  const verdict = (spec: AgentDeploymentSpec, isolation: ReconcileSettings['isolation']) => {
    const { conditions = [] } = toStatus(finding({ agent: given(spec) }), { isolation }, now)
    const { status, reason, message } = conditions.find(({ type }) => type === 'Isolated') ?? {}
    return [`${status} ${reason}`, message] as const
  }
  assert.equal(verdict(command, 'container')[0], 'True SeparateContainers')
  assert.equal(verdict(declarative, 'none')[0], 'True NoAgentProcess')
  for (const spec of Object.values(forms)) assert.equal(verdict(spec, 'none')[0], 'False SameUser')
  assert.match(verdict(command, 'none')[1] ?? '', /person who runs mesh.*admin/)
})

test('numbers of a Deployment count only for the template that they speak of', () => {
  const deployment = (generation: number, status: object) =>
    deploymentProgress({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'bot', generation },
      spec: { replicas: 2 },
      status,
    })
  const whole = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 }
  assert.equal(deployment(1, whole).complete, true)
  assert.equal(deployment(2, whole).complete, false)
  assert.equal(deployment(1, { ...whole, replicas: 3 }).complete, false, 'an old pod is still there')
  const stuck = deployment(1, { ...whole, updatedReplicas: 1, conditions: [{ type: 'Progressing', status: 'False' }] })
  assert.equal(stuck.failure?.reason, 'ProgressDeadlineExceeded')
  assert.equal(stuck.serving, true)
})
