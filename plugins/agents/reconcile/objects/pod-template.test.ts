import assert from 'node:assert/strict'
import test from 'node:test'
import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { fullPod } from '#schemas/agents/pod-samples.ts'
import {
  settings,
  declarative,
  command,
  agentOf,
  workloadOf,
  environmentOf,
  hookToken,
  processSpecs,
  specs,
  containersOf,
} from '../../testing/agent-fixture.ts'
import { configText } from '../revision/launcher-config.ts'
import { validateSpec } from '../spec/validate-spec.ts'
import { reservedVariable } from '../pod/environment.ts'
import { LAUNCHER_COMMAND } from '../../contract/image-layout.ts'
import { toPodTemplate } from './pod-template.ts'

test('a declarative agent is one unprivileged container of the launcher image', () => {
  const { spec } = toPodTemplate(agentOf(declarative), { configMap: 'cm', revisionNumber: 3, hookToken }, settings)
  const [container] = spec.containers
  assert.deepEqual([container?.name, container?.image], ['agent', settings.launcherImage])
  assert.ok(container !== undefined && 'command' in container && !('args' in container))
  assert.equal('initContainers' in spec, false)
  assert.equal(environmentOf(spec.containers)['MODEL_GATEWAY_URL'], 'http://gateway:4000')
})

test('PODS2, PODS3, F8: an agent process has its own container, and the launcher is a sidecar of the platform’s image', () => {
  for (const [form, spec] of Object.entries(processSpecs)) {
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

test('SEC8, PODS1, F8: variables of the user never reach the launcher', () => {
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
  for (const [form, spec] of Object.entries(specs)) {
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
    assert.deepEqual([agent['STATE_URL'], agent['MESH_STATE_TOKEN_FILE']], [undefined, undefined])
  }
})

test('PODS8, PODA12, H2: every container meets Pod Security restricted, with a read-only root file system in the profile hardened', () => {
  for (const hardened of [false, true])
    for (const [form, spec] of Object.entries(specs)) {
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

test('PODA22: the launcher’s container uses no ephemeral storage of the node', () => {
  for (const hardened of [false, true])
    for (const [form, spec] of Object.entries(specs)) {
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

test('PODA11: every container has resources, from its spec or from the settings', () => {
  const own = { requests: { cpu: '2' } }
  for (const [form, spec] of Object.entries(specs)) {
    for (const { name, resources } of containersOf(spec).all)
      assert.ok(resources.limits?.['memory'] !== undefined, `${form}: ${name}`)
    assert.deepEqual(containersOf({ ...spec, resources: own }).all.at(-1)?.resources, own)
  }
})

test('B7: with a model proxy, agents get the launcher’s port and no token for the gateway, launchers the gateway and the token', () => {
  for (const [form, bare] of Object.entries(specs)) {
    const spec = { ...bare, model: { route: 'mock' } }
    const agent = agentOf(spec)
    const parts = { agent, sidecars: [], modelProxy: true, ports: ['feedback'] as const }
    const pod = toPodTemplate(agent, { configMap: 'cm', revisionNumber: 3, hookToken, parts }, settings).spec
    const [launcher, process] = [...('initContainers' in pod ? (pod.initContainers ?? []) : []), ...pod.containers]
    const ofLauncher = environmentOf(launcher === undefined ? [] : [launcher])
    assert.deepEqual([ofLauncher['MODEL_GATEWAY_URL'], ofLauncher['MESH_BUDGET_PORT']], ['http://gateway:4000', '2996'])
    assert.ok(ofLauncher['MODEL_GATEWAY_TOKEN_FILE'] !== undefined, form)
    assert.equal(ofLauncher['FEEDBACK_PORT'], '2995', 'a port that a plugin adds')
    if (process === undefined) continue
    const ofAgent = environmentOf([process])
    assert.equal(ofAgent['MODEL_GATEWAY_URL'], 'http://127.0.0.1:$(MESH_BUDGET_PORT)', form)
    assert.equal(ofAgent['MODEL_GATEWAY_TOKEN_FILE'], undefined, form)
    assert.deepEqual(process.volumeMounts, [], form)
    const names = (process.env ?? []).map(({ name }) => name)
    assert.ok(
      names.indexOf('MESH_BUDGET_PORT') < names.indexOf('MODEL_GATEWAY_URL'),
      'references name earlier variables',
    )
  }
  assert.equal(environmentOf(containersOf(declarative).all)['MESH_BUDGET_PORT'], undefined)
})

test('PODS4: the launcher binds its ports before the agent starts, and its end ends the agent', () => {
  const { pod } = containersOf(command)
  const [launcher] = 'initContainers' in pod ? (pod.initContainers ?? []) : []
  assert.deepEqual(launcher?.startupProbe.httpGet, { path: '/livez', port: 8080, scheme: 'HTTPS' })
  const [agent] = pod.containers
  assert.ok(agent !== undefined && 'livenessProbe' in agent)
  assert.deepEqual(agent.livenessProbe.httpGet, { path: '/agent/livez', port: 8080, scheme: 'HTTPS' })
})

test('P3: a terminating pod serves until workers and Services have removed it, then has its whole grace period', () => {
  for (const spec of [declarative, command]) {
    const { pod } = containersOf(spec)
    assert.equal(pod.terminationGracePeriodSeconds - 3, 30)
    const [container] = pod.containers
    // The hook of an agent process returns when the launcher reports that its runs have ended.
    const expected =
      spec === declarative
        ? { sleep: { seconds: 3 } }
        : {
            httpGet: {
              path: '/idle',
              port: 8080,
              scheme: 'HTTPS',
              httpHeaders: [{ name: 'x-mesh-hook', value: hookToken }],
            },
          }
    assert.deepEqual(container?.lifecycle.preStop, expected)
  }
})

test('R2-CL-3: the launcher has the token of the hook, and the agent has no variable with it', () => {
  for (const spec of Object.values(processSpecs)) {
    const { all } = containersOf(spec)
    assert.equal(environmentOf(all)['MESH_HOOK_TOKEN'], hookToken)
    const [, ...others] = all
    assert.ok(!JSON.stringify(others.map(({ env }) => env)).includes(hookToken))
    const own = { ...spec, runtime: { ...spec.runtime, env: [{ name: 'MESH_HOOK_TOKEN', value: 'mine' }] } }
    assert.equal(reservedVariable(own), 'MESH_HOOK_TOKEN')
  }
})

test('PODA3: both containers have the group of the mounted tokens', () => {
  const { pod } = containersOf(command)
  assert.equal(pod.securityContext.fsGroup, 65532)
  const token = pod.volumes.find(({ name }) => name === 'agent-tokens')
  assert.ok(token !== undefined && 'projected' in token && token.projected?.defaultMode === 0o440)
})

test('an address is injected only if the capability is configured', () => {
  const bound: AgentDeploymentSpec = {
    ...declarative,
    memory: { session: {} },
    registries: [{ name: 'team' }],
    tools: [{ name: 'search', bindingRef: { name: 'search' } }],
  }
  const plain = environmentOf(
    toPodTemplate(agentOf(declarative), { configMap: 'cm', revisionNumber: 3, hookToken }, settings).spec.containers,
  )
  const all = environmentOf(
    toPodTemplate(
      agentOf(bound),
      { configMap: 'cm', revisionNumber: 3, hookToken },
      { ...settings, otlpEndpoint: 'http://c' },
    ).spec.containers,
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

test('PODA11, decision 8: the pod takes placement, pull secrets and launcher resources of spec.pod, and no other field', () => {
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
    agentOf({ ...command, pod: { ...pod, ...hostile } }),
    { configMap: 'c', revisionNumber: 1, hookToken },
    settings,
  )
  const { launcherResources, ...placement } = pod
  assert.deepEqual({ ...spec, ...placement }, spec)
  const plain = toPodTemplate(agentOf(command), { configMap: 'c', revisionNumber: 1, hookToken }, settings).spec
  assert.deepEqual(Object.keys(spec).toSorted(), [...Object.keys(plain), ...Object.keys(placement)].toSorted())
  assert.deepEqual([spec.volumes, spec.serviceAccountName], [plain.volumes, 'bot'])
  assert.deepEqual(spec.containers[0]?.volumeMounts, plain.containers[0]?.volumeMounts)
  const [launcher] = 'initContainers' in spec ? spec.initContainers : []
  assert.deepEqual(launcher?.resources, launcherResources)
})

test('decision 8: volumes, mounts, affinity and annotations reach the pod and the agent, and none of them the launcher', () => {
  for (const form of Object.values(processSpecs)) {
    const plain = containersOf(form)
    const { pod, all } = containersOf({ ...form, pod: fullPod })
    const [launcher, agent] = all
    assert.deepEqual({ ...launcher, resources: {} }, { ...plain.all[0], resources: {} })
    assert.deepEqual(agent?.volumeMounts.slice(1), fullPod.volumeMounts)
    assert.deepEqual(pod.volumes.slice(plain.pod.volumes.length), fullPod.volumes)
    assert.ok('affinity' in pod && pod.affinity === fullPod.affinity)
    const { metadata } = toPodTemplate(
      agentOf({ ...form, pod: fullPod }),
      { configMap: 'c', revisionNumber: 1, hookToken },
      settings,
    )
    assert.deepEqual(metadata.annotations, fullPod.annotations)
    assert.equal(validateSpec(agentOf({ ...form, pod: fullPod }), settings), undefined)
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

test('every pod has the pull secrets of the settings, each once', () => {
  const pod = (spec: AgentDeploymentSpec) => containersOf(spec, { ...settings, imagePullSecrets: ['a', 'b'] }).pod
  const names = (spec: AgentDeploymentSpec) => {
    const made = pod(spec)
    return 'imagePullSecrets' in made ? made.imagePullSecrets.map(({ name }) => name) : []
  }
  for (const spec of Object.values(specs)) assert.deepEqual(names(spec), ['a', 'b'])
  assert.deepEqual(names({ ...command, pod: { imagePullSecrets: [{ name: 'b' }, { name: 'c' }] } }), ['b', 'c', 'a'])
})

test('UXM8: the launcher reads its revision number from a label, and its configuration does not depend on it', () => {
  for (const spec of [declarative, command]) {
    const { metadata, spec: pod } = toPodTemplate(
      agentOf(spec),
      { configMap: 'c', revisionNumber: 7, hookToken },
      settings,
    )
    assert.equal(metadata.labels['mesh.dev/revision-number'], '7')
    const [launcher] = 'initContainers' in pod ? pod.initContainers : pod.containers
    assert.deepEqual(launcher?.env.find(({ name: variable }) => variable === 'MESH_AGENT_REVISION')?.valueFrom, {
      fieldRef: { fieldPath: "metadata.labels['mesh.dev/revision-number']" },
    })
    assert.equal(configText(workloadOf(agentOf(spec)).config).includes('revision'), false)
  }
})

test('R2-CL-8: every container and every volume on the node’s disk has a limit, its own or that of the setting', () => {
  const diskOf = (spec: AgentDeploymentSpec) => {
    const { pod, all } = containersOf(spec, { ...settings, ephemeralStorage: '2Gi' })
    const containers = all.map(({ resources }) => [
      resources.requests?.['ephemeral-storage'],
      resources.limits?.['ephemeral-storage'],
    ])
    const sizes = pod.volumes.flatMap((one) => ('emptyDir' in one ? [[one.name, one.emptyDir?.sizeLimit]] : []))
    return { containers, sizes }
  }
  for (const [form, spec] of Object.entries(specs))
    for (const resources of [undefined, { limits: { memory: '2Gi' } }]) {
      const { containers } = diskOf({ ...spec, ...(resources === undefined ? {} : { resources }) })
      for (const one of containers) assert.deepEqual(one, ['0', '2Gi'], form)
    }
  const own = { requests: { 'ephemeral-storage': '1Gi' }, limits: { 'ephemeral-storage': '9Gi' } }
  const volumes = [
    { name: 'scratch', emptyDir: {} },
    { name: 'large', emptyDir: { sizeLimit: '9Gi' } },
    { name: 'memory', emptyDir: { medium: 'Memory' as const } },
  ]
  const { containers, sizes } = diskOf({ ...command, resources: own, pod: { volumes } })
  assert.deepEqual(containers, [
    ['0', '2Gi'],
    ['1Gi', '9Gi'],
  ])
  assert.deepEqual(sizes, [
    ['scratch', '2Gi'],
    ['large', '9Gi'],
    ['memory', undefined],
  ])
})
