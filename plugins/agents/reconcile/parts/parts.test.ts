import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import { ADMIN, startTestServer } from '@mesh.dev/embedded-apiserver/testing'
import { runReconcilers } from '#core/controllers/controller.ts'
import { createRoleContainer } from '#core/host/load/role-container.ts'
import { contribute } from '#core/jobs/extension-point.ts'
import type { ContributedValue, Point } from '#core/jobs/extension-point.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { UnenforcedField } from '#core/plugin/enforced-fields.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type { ManagerContext } from '#core/plugin/role-contexts.ts'
import { createKeyring } from '#core/signing/create-keyring.ts'
import { toCrd } from '#schemas/kinds/crd.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { agents } from '../../index.ts'
import { agentGate, agentPodPart } from '../../contract/points.ts'
import type { AgentGate, PodAddition } from '../../contract/points.ts'
import type { AgentsServices } from '../../services/create-services.ts'
import { agentOf, command, declarative, hookToken, processSpecs, settings } from '../../testing/agent-fixture.ts'
import { children } from '../owned/child-kinds.ts'
import { toPodTemplate } from '../objects/pod-template.ts'
import { mergeParts } from './merge-parts.ts'

const cache: PodAddition = {
  env: [{ name: 'CACHE_URL', value: 'http://localhost:9999' }],
  launcher: { cache: { size: 3 } },
  sidecars: [{ name: 'cache', image: 'cache:1', volumeMounts: [{ name: 'cached', mountPath: '/cached' }] }],
  volumes: [{ name: 'cached', emptyDir: {} }],
  volumeMounts: [{ name: 'cached', mountPath: '/cached', readOnly: true }],
  condition: { type: 'Cached', status: 'True', reason: 'Configured', message: 'The cache is configured.' },
}

const merge = (spec: AgentDeploymentSpec, parts: Record<string, PodAddition>, of = settings) =>
  mergeParts(
    agentOf(spec),
    Object.entries(parts).map(([plugin, value]) => ({ plugin, value })),
    of,
  )

const refusalOf = (...args: Parameters<typeof merge>): string => {
  const merged = merge(...args)
  assert.ok('refusal' in merged, `not refused: ${JSON.stringify(args[1])}`)
  assert.equal(merged.refusal.reason, 'PodPartRefused')
  return merged.refusal.message
}

test('the part of a plugin reaches the containers that it names, and no other', () => {
  for (const [name, spec] of Object.entries(processSpecs)) {
    const parts = merge(spec, { cache })
    assert.ok('agent' in parts, name)
    const pod = toPodTemplate(agentOf(spec), { configMap: 'cm', revisionNumber: 1, hookToken, parts }, settings).spec
    const init = 'initContainers' in pod ? (pod.initContainers ?? []) : []
    assert.deepEqual(
      [...init, ...pod.containers].map((one) => [
        one.name,
        (one.env ?? []).some((variable) => variable.name === 'CACHE_URL'),
        (one.volumeMounts ?? []).some((mount) => mount.name === 'cached'),
      ]),
      [
        ['launcher', false, false],
        ['cache', false, true],
        ['agent', true, true],
      ],
      name,
    )
    const sidecar = init[1]
    assert.equal(sidecar?.restartPolicy, 'Always')
    assert.deepEqual(sidecar?.securityContext, pod.containers[0]?.securityContext, 'restricted like the agent')
    assert.deepEqual(parts.launcher, { cache: { cache: { size: 3 } } })
  }
  const bare = merge(declarative, { cache: { env: cache.env ?? [] } })
  assert.ok('agent' in bare)
  assert.deepEqual(bare.agent.spec, declarative, 'a declarative agent has no process')
})

test('B7: a part of one plugin routes model calls to the launcher, whatever the others return', () => {
  const proxied = (parts: Record<string, PodAddition>): boolean => {
    const merged = merge(command, parts)
    return 'agent' in merged && merged.modelProxy
  }
  assert.equal(proxied({ cache }), false)
  assert.equal(proxied({ cache, budgets: { modelProxy: true }, other: {} }), true)
})

test('a port of the launcher is added by one plugin, and only one that no field of the spec opens', () => {
  const merged = merge(command, { feedback: { ports: ['feedback'] }, other: {} })
  assert.deepEqual('agent' in merged && merged.ports, ['feedback'])
  assert.match(
    refusalOf(command, { feedback: { ports: ['feedback'] }, other: { ports: ['feedback'] } }),
    /^Plugin other: sets launcher port feedback, which plugin feedback also sets/,
  )
  assert.match(
    refusalOf(command, { other: { ports: ['budget' as 'feedback'] } }),
    /launcher port budget is not a valid name/,
  )
})

test('a name of two owners is refused, naming both', () => {
  const env = [{ name: 'CACHE_URL', value: 'x' }]
  assert.match(
    refusalOf(command, { cache, other: { env } }),
    /^Plugin other: sets variable CACHE_URL, which plugin cache also sets/,
  )
  assert.match(
    refusalOf(command, { cache, other: { sidecars: cache.sidecars ?? [] } }),
    /container cache, which plugin cache/,
  )
  assert.match(
    refusalOf(command, { cache, other: { volumes: cache.volumes ?? [] } }),
    /volume cached, which plugin cache/,
  )
  const { condition } = cache
  assert.match(
    refusalOf(command, { cache, other: condition ? { condition } : {} }),
    /condition Cached, which plugin cache/,
  )
  assert.match(
    refusalOf({ ...command, runtime: { command: ['a'], env } }, { cache }),
    /^Plugin cache: sets variable CACHE_URL, which spec.runtime.env also sets/,
  )
  assert.match(refusalOf(command, { a: { env: [...env, ...env] } }), /CACHE_URL twice/)
})

test('a part cannot break the contract of the pod', () => {
  const mount = (mountPath: string, name = 'v') => ({
    volumes: [{ name, emptyDir: {} }],
    volumeMounts: [{ name, mountPath }],
  })
  const cases: [PodAddition, RegExp][] = [
    [{ env: [{ name: 'STATE_URL', value: 'http://evil' }] }, /STATE_URL is a variable of the platform/],
    [{ env: [{ name: 'MODEL_GATEWAY_TOKEN_FILE', value: '/x' }] }, /variable of the platform/],
    [{ env: [{ name: 'A=B', value: 'x' }] }, /not a valid name/],
    [{ env: [{ name: 'K\0', value: 'x' }] }, /not a valid name/],
    [{ env: [{ name: 'K', valueFrom: { secretKeyRef: { name: 'bot.keys.mesh.dev', key: 'agent.key' } } }] }, /keys/],
    [{ volumes: [{ name: 'host', hostPath: { path: '/' } }] as never }, /source/],
    [{ volumes: [{ name: 'agent-keys', emptyDir: {} }] }, /./],
    [mount('/var/run/secrets/x'), /./],
    [mount('/etc/mesh'), /./],
    [{ volumeMounts: [{ name: 'agent-keys', mountPath: '/k' }] }, /./],
    [{ sidecars: [{ name: 'launcher', image: 'x' }] }, /container launcher, which the platform also sets/],
    [{ sidecars: [{ name: 'agent', image: 'x' }] }, /container agent/],
    [{ sidecars: [{ name: 'x', image: '' }] }, /needs an image/],
    [
      {
        sidecars: [
          {
            name: 'x',
            image: 'x',
            env: [{ name: 'K', valueFrom: { secretKeyRef: { name: 'bot.keys.mesh.dev', key: 'agent.key' } } }],
          },
        ],
      },
      /keys of a launcher/,
    ],
    [{ sidecars: [{ name: 'x', image: 'x', volumeMounts: [{ name: 'agent-keys', mountPath: '/k' }] }] }, /agent-keys/],
    [{ sidecars: [{ name: 'x', image: 'x', volumeMounts: [{ name: 'none', mountPath: '/k' }] }] }, /./],
    [{ condition: { type: 'Ready', status: 'True', reason: 'X', message: '' } }, /condition Ready, which the platform/],
  ]
  for (const [part, message] of cases) assert.match(refusalOf(command, { evil: part }), message, JSON.stringify(part))
  assert.match(refusalOf(command, { cache }, { ...settings, isolation: 'none' }), /processes/)
  const digest = `agent@sha256:${'a'.repeat(64)}`
  assert.match(refusalOf({ image: digest }, { cache }, { ...settings, hardened: true }), /digest/)
})

test('plugins add to pods and hold revisions back, on the API server', { timeout: 480_000 }, async (t) => {
  const gate: { hold: Awaited<ReturnType<AgentGate>>; asked: string[] } = {
    hold: { condition: 'Approved', reason: 'WaitsForApproval', message: 'It is not approved.' },
    asked: [],
  }
  let added: PodAddition | undefined = cache
  const plugin = definePlugin({
    contract: 1,
    name: 'cache',
    settings: Type.Object({}),
    create: () => ({}),
    contributions: () => [
      contribute(agentPodPart, async () => added),
      contribute(agentGate, async ({ revision }) => {
        gate.asked.push(revision)
        return gate.hold
      }),
    ],
  })
  const rig = await start(t, [plugin])
  await rig.create(command)
  await rig.when('Approved=True WaitsForApproval')
  assert.equal(await rig.deployment(), undefined, 'nothing is started')
  const held = await rig.agent()
  assert.ok(held.status?.conditions?.some(({ type, reason }) => type === 'Ready' && reason === 'WaitsForApproval'))
  assert.ok(held.status?.conditions?.some(({ type, status }) => type === 'Degraded' && status === 'False'))
  gate.hold = undefined
  await rig.touch()
  const first = await rig.until('deployed', rig.deployment)
  assert.match(JSON.stringify(first), /"CACHE_URL"/)
  await rig.when('Cached=True Configured')
  const asked = gate.asked.length
  await rig.touch()
  await rig.when('Cached=True Configured')
  assert.equal(gate.asked.length, asked, 'a deployed revision is not asked about again')
  gate.hold = { reason: 'Frozen', message: 'No roll-outs today.' }
  await rig.change([{ op: 'add', path: '/spec/runtime/args', value: ['--new'] }])
  await rig.when('Gated=True Frozen')
  assert.doesNotMatch(JSON.stringify(await rig.deployment()), /--new/, 'the running revision is unchanged')
  added = { env: [{ name: 'STATE_URL', value: 'x' }] }
  await rig.touch()
  await rig.when('Accepted=False PodPartRefused')
  assert.match(JSON.stringify(await rig.deployment()), /"CACHE_URL"/, 'the running revision is unchanged')
})

test('R2-C1, R2-UX-18: an agent that uses a field of a plugin that is off is not rolled out, and says which', async (t) => {
  const off = {
    kind: 'AgentDeployment',
    field: 'guardrails',
    plugin: 'guardrails',
    because: 'disabled in the settings',
  }
  const rig = await start(t, [], [off])
  await rig.create(command)
  const first = await rig.until('deployed', rig.deployment)
  await rig.change([{ op: 'add', path: '/spec/guardrails', value: [{ name: 'no-secrets' }] }])
  await rig.when('Accepted=False PluginDisabled')
  const { status } = await rig.agent()
  assert.equal(
    status?.conditions?.find(({ type }) => type === 'Accepted')?.message,
    'spec.guardrails needs the plugin guardrails, which is not available: disabled in the settings.',
  )
  assert.deepEqual((await rig.deployment())?.spec, first.spec, 'what runs is unchanged')
  await rig.change([{ op: 'remove', path: '/spec/guardrails' }])
  await rig.when('Accepted=True Accepted')
})

/** The agents plugin with others, created by the container of a role, on the embedded API server. */
async function start(t: TestContext, others: readonly AnyPlugin[], unenforced: readonly UnenforcedField[] = []) {
  const stopped: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const stop of stopped) await stop()
  })
  const server = await startTestServer(t, { crds: [toCrd(AgentDeployment), toCrd(ModelRoute)] })
  const pool = createPool(server.url)
  const cluster = createKubeClient({ server: server.url, pool, bearer: ADMIN })
  let contributed = <T>(_point: Point<T>): readonly ContributedValue<T>[] => []
  const core = {
    role: 'manager',
    now: () => new Date(),
    log: createLogger({ level: 'error' }),
    urls: { gateway: 'http://gateway:4000', state: 'http://state:3002', bff: '' },
    kinds: () => [AgentDeployment, ModelRoute],
    extensions: () => [],
    contributed: <T>(point: Point<T>) => contributed(point),
    unenforced: () => unenforced,
  } as unknown as Core
  const ordered = [agents as AnyPlugin, ...others]
  const container = await createRoleContainer({
    core,
    keys: createKeyring(),
    ordered,
    slices: new Map([['agents', { podAnnotations: [], imagePullSecrets: [] }]]),
    wired: new Map(),
  })
  contributed = <T>(point: Point<T>) =>
    container.contributions
      .filter((one) => one.point === point.name)
      .map(({ plugin, value }) => ({ plugin, value: value as T }))
  const built = container.built.find(({ plugin }) => plugin.name === 'agents')
  const services = { ...(built?.services as AgentsServices), reconcile: settings, recordKey: async () => undefined }
  const controller = new AbortController()
  const running = runReconcilers({
    cluster,
    reconcilers: agents.reconcilers?.(services, { cluster } as ManagerContext) ?? [],
    log: createLogger({ level: 'error' }),
    signal: controller.signal,
  })
  stopped.push(async () => {
    controller.abort()
    await running.done
  })
  stopped.push(() => pool.close())
  const namespace = parseLabel('n', 'default')
  const ref = { namespace, name: parseName('n', 'bot') }
  const agent = () => cluster.get<AgentDeploymentObject>(AgentDeployment, ref)
  const until = async <T>(what: string, ask: () => Promise<T | undefined>): Promise<T> => {
    const end = performance.now() + 60_000
    for (;;) {
      const answer = await ask()
      if (answer !== undefined) return answer
      assert.ok(performance.now() < end, what)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const change = (body: readonly object[]) => cluster.patch(AgentDeployment, ref, { type: 'json', body })
  return {
    agent,
    until,
    change,
    create: (spec: AgentDeploymentSpec) =>
      cluster.create(AgentDeployment, AgentDeployment.object({ metadata: { name: 'bot', namespace }, spec })),
    deployment: () => cluster.get(children.Deployment, ref).catch(() => undefined),
    /** A change that only causes a reconciliation. */
    touch: () => change([{ op: 'add', path: '/metadata/labels', value: { touched: String(Math.random()).slice(2) } }]),
    when: (condition: string) =>
      until(condition, async () => {
        const { status, metadata } = await agent()
        const has = status?.conditions?.some((one) => `${one.type}=${one.status} ${one.reason}` === condition) === true
        // The verdicts on a spec are written before its objects are made.
        return has && status?.observedGeneration === metadata.generation ? true : undefined
      }),
  }
}
