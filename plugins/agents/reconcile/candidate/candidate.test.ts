import assert from 'node:assert/strict'
import test from 'node:test'
import { createServiceEndpoints, endpointByService } from '#core/cluster/endpoint-slices.ts'
import type { ServicePort } from '#core/cluster/endpoint-slices.ts'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import type { GateHold } from '../../contract/points.ts'
import { pods } from '../../contract/resources.ts'
import { apiServers, startReconciler, until } from '../../testing/start-reconciler.ts'
import type { AgentFact } from '../facts/agent-facts.ts'
import { children } from '../owned/child-kinds.ts'
import type { ChildKind } from '../owned/child-kinds.ts'

type Labels = Readonly<Record<string, string>>
type Selecting = KubeObject<{
  readonly selector?: Labels & { readonly matchLabels?: Labels }
  readonly podSelector?: { readonly matchLabels?: Labels }
}>
type Workload = KubeObject<{
  readonly replicas: number
  readonly template: {
    readonly metadata: { readonly labels: Labels }
    readonly spec: { readonly serviceAccountName: string }
  }
}>
type Rig = Awaited<ReturnType<typeof startReconciler>>

const declarative: AgentDeploymentSpec = { model: { route: 'mock' }, systemPrompt: 'You help.' }
const trial: GateHold = { condition: 'EvalGated', reason: 'Pending', message: 'It is evaluated.', candidate: true }
const promptOf = (value: string) => [{ op: 'replace', path: '/spec/systemPrompt', value }]
let touched = 0
const touch = (rig: Rig) =>
  rig.change([{ op: 'add', path: '/metadata/labels', value: { touched: String((touched += 1)) } }])

const present = async (cluster: KubeClient, rig: Rig, kind: ChildKind, name: string): Promise<boolean> =>
  cluster.get(children[kind], { namespace: rig.namespace, name: parseName('name', name) }).then(
    () => true,
    (error: unknown) => {
      if (isStatus(error, 404)) return false
      throw error
    },
  )

const gone = (rig: Rig, kind: ChildKind, name: string) =>
  until(`${kind} ${name} is gone`, async () => ((await present(rig.cluster, rig, kind, name)) ? undefined : true))

/** Objects whose selector matches pods with these labels, as `Kind/name`. */
async function selecting({ cluster, namespace }: Rig, labels: Labels): Promise<string[]> {
  const kinds = ['Service', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget'] as const
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const { items } = await cluster.list<Selecting>(children[kind], { namespace })
      return items.flatMap(({ metadata, spec }) => {
        const { selector, podSelector } = spec ?? {}
        const wanted = podSelector?.matchLabels ?? selector?.matchLabels ?? (selector as Labels | undefined) ?? {}
        const isSelected = Object.entries(wanted).every(([key, value]) => labels[key] === value)
        return isSelected ? [`${kind}/${metadata.name}`] : []
      })
    }),
  )
  return found.flat().toSorted()
}

/** Makes a pod of a workload and reports it as ready, in place of a controller and a kubelet. */
async function runPod({ cluster, namespace }: Rig, workload: Workload, podIP: string): Promise<KubeObject> {
  const { labels } = workload.spec?.template.metadata ?? { labels: {} }
  const name = `${workload.metadata.name}-pod`
  const pod = await cluster.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: { automountServiceAccountToken: false, containers: [{ name: 'agent', image: 'i' }] },
  })
  const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions: [{ type: 'Ready', status: 'True' }] }
  const ref = { namespace, name: parseName('name', name) }
  await cluster.patch(pods, ref, { type: 'merge', body: { status } }, { subresource: 'status' })
  return pod
}

async function startGated(t: Parameters<typeof startReconciler>[0], make: 'real' | 'embedded') {
  const gate: { hold: GateHold | undefined } = { hold: undefined }
  const facts = new Map<string, AgentFact>()
  // Agents of other tests on the same server are reconciled, too.
  const policiesMade: { readonly kind: string; readonly namespace: string | undefined }[] = []
  const wrap = (manager: KubeClient): KubeClient => ({
    ...manager,
    patch: async (resource, ref, patch, options) => {
      if (ref.name === 'bot.candidate' && options?.dryRun !== true)
        policiesMade.push({ kind: resource.kind, namespace: ref.namespace })
      return manager.patch(resource, ref, patch, options)
    },
  })
  const rig = await startReconciler(t, make, {
    wrap,
    parts: { pods: [], gates: [{ plugin: 'trial', value: async () => gate.hold }] },
    publish: async (_, found) => {
      // As the store, which appends an id once.
      for (const one of found) if (!facts.has(one.id)) facts.set(one.id, one)
    },
  })
  await rig.create(declarative)
  await rig.when('Ready=False Progressing')
  await rig.deploymentSays({ updated: 1, available: 1 })
  const first = await rig.when('Ready=True Serving')
  const candidateOf = async (): Promise<Workload> => {
    const { status } = await rig.when('CandidateReady=False Progressing')
    const name = parseName('revision', status?.candidateRevision ?? '')
    return rig.cluster.get<Workload>(children.Deployment, { namespace: rig.namespace, name })
  }
  const ownFacts = () => [...facts.values()].filter(({ subject }) => subject.namespace === rig.namespace)
  const madeHere = () => policiesMade.filter(({ namespace }) => namespace === rig.namespace).length
  return { rig, gate, ownFacts, madeHere, first, candidateOf }
}

for (const { make, options } of apiServers) {
  test(`${make}: a held revision runs beside the deployed one, and nothing selects its pods`, options, async (t) => {
    const { rig, gate, ownFacts, first, candidateOf } = await startGated(t, make)
    const { cluster, namespace } = rig
    const served = await cluster.get<Workload>(children.Deployment, rig.ref)
    gate.hold = trial
    await rig.change(promptOf('Tried.'))
    const candidate = await candidateOf()
    const labels = candidate.spec?.template.metadata.labels ?? {}
    assert.equal(labels['mesh.dev/agent'], undefined, 'never the label of the agent')
    assert.equal(labels['mesh.dev/candidate-of'], 'bot')
    assert.equal(candidate.spec?.replicas, 1)
    assert.equal(candidate.spec.template.spec.serviceAccountName, 'bot', 'launchers are certified by its account')
    assert.deepEqual(
      await selecting(rig, labels),
      [`Deployment/${candidate.metadata.name}`, 'NetworkPolicy/bot.candidate', 'PodDisruptionBudget/bot.candidate'],
      'only its own objects select it',
    )
    const agentLabels = served.spec?.template.metadata.labels ?? {}
    assert.deepEqual(
      await selecting(rig, agentLabels),
      ['Deployment/bot', 'NetworkPolicy/bot', 'PodDisruptionBudget/bot', 'Service/bot'],
      'and they select no pod of the deployed revision',
    )
    for (const [kind, name] of [
      ['Deployment', candidate.metadata.name],
      ['NetworkPolicy', 'bot.candidate'],
      ['PodDisruptionBudget', 'bot.candidate'],
    ] as const) {
      const { metadata } = await cluster.get(children[kind], { namespace, name: parseName('name', name) })
      assert.equal(metadata.ownerReferences?.[0]?.uid, first.metadata.uid, `${kind}: deleted with its agent`)
    }
    const pod = await runPod(rig, candidate, '10.1.2.3')
    const running = await rig.when('CandidateReady=True Running')
    const number = Number(labels['mesh.dev/revision-number'])
    assert.deepEqual(running.status?.candidate, {
      revision: candidate.metadata.name,
      number,
      pods: [{ uid: pod.metadata.uid, address: '10.1.2.3', ready: true }],
    })
    assert.equal(running.status?.currentRevision, first.status?.currentRevision, 'the last good revision serves')
    assert.ok(running.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'))
    assert.deepEqual((await cluster.get<Workload>(children.Deployment, rig.ref)).spec, served.spec)

    const endpoints = createServiceEndpoints(cluster)
    const service: ServicePort = { namespace, name: 'bot', portName: 'http', port: 8080, scheme: 'https' }
    assert.deepEqual(await endpoints(service), [], 'a run without a revision never reaches it')
    assert.deepEqual(await endpoints({ ...service, candidate: number }), [
      { id: pod.metadata.uid, url: 'https://10.1.2.3:8080', ready: true },
    ])
    for (const other of [number - 1, number + 1, 0, -1, Number.NaN])
      assert.deepEqual(await endpoints({ ...service, candidate: other }), [], `revision ${other}`)
    assert.deepEqual(await endpointByService({ ...service, candidate: number }), [])

    gate.hold = undefined
    await touch(rig)
    await until('it is rolled out', async () => {
      const live = await cluster.get<Workload>(children.Deployment, rig.ref)
      return live.metadata.annotations?.['mesh.dev/revision'] === candidate.metadata.name || undefined
    })
    await gone(rig, 'Deployment', candidate.metadata.name)
    assert.ok(await present(cluster, rig, 'NetworkPolicy', 'bot.candidate'), 'its pod has not ended')
    await cluster.delete(pods, { namespace, name: parseName('name', pod.metadata.name) }, { graceSeconds: 0 })
    await gone(rig, 'NetworkPolicy', 'bot.candidate')
    await gone(rig, 'PodDisruptionBudget', 'bot.candidate')
    await rig.deploymentSays({ updated: 1, available: 1 })
    const after = await rig.when('Degraded=False AsExpected')
    assert.equal(after.status?.candidate, undefined)
    assert.ok(!after.status?.conditions?.some(({ type }) => type === 'CandidateReady'))
    await until('events', async () => (ownFacts().length === 4 ? true : undefined))
    assert.deepEqual(
      ownFacts().map(({ type, data }) => [type.fact, (data as { revision?: string }).revision]),
      [
        ['revision-deployed', first.status?.currentRevision],
        ['ready', first.status?.currentRevision],
        ['revision-held', candidate.metadata.name],
        ['revision-deployed', candidate.metadata.name],
      ],
      'one event for each transition',
    )
  })

  test(`${make}: a newer revision takes the place of a candidate, and a refused one ends it`, options, async (t) => {
    const { rig, gate, candidateOf } = await startGated(t, make)
    gate.hold = trial
    await rig.change(promptOf('Second.'))
    const second = await candidateOf()
    await rig.change(promptOf('Third.'))
    await gone(rig, 'Deployment', second.metadata.name)
    const third = await candidateOf()
    assert.notEqual(third.metadata.name, second.metadata.name)
    assert.ok(await present(rig.cluster, rig, 'NetworkPolicy', 'bot.candidate'))
    const budget = { amount: '5.00', currency: 'EUR', window: 'day' }
    await rig.change([{ op: 'add', path: '/spec/budget', value: budget }])
    await rig.when('Accepted=False PluginDisabled')
    await gone(rig, 'Deployment', third.metadata.name)
    await gone(rig, 'NetworkPolicy', 'bot.candidate')
    await rig.change([{ op: 'remove', path: '/spec/budget' }])
    await candidateOf()
    const { candidate: _, ...hold } = trial
    gate.hold = hold
    await touch(rig)
    await gone(rig, 'Deployment', third.metadata.name)
    await gone(rig, 'PodDisruptionBudget', 'bot.candidate')
    await rig.when('EvalGated=True Pending')
  })

  test(`${make}: a candidate whose name is taken is reported, and leaves nothing behind`, options, async (t) => {
    const { rig, gate, madeHere } = await startGated(t, make)
    const { cluster, namespace } = rig
    const theirs = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'bot.candidate', namespace },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'theirs' } } },
    }
    await cluster.create(children.PodDisruptionBudget, theirs)
    gate.hold = trial
    await rig.change(promptOf('Tried.'))
    const { status } = await rig.when('CandidateReady=False NameConflict')
    assert.match(
      status?.conditions?.find(({ type }) => type === 'CandidateReady')?.message ?? '',
      /^PodDisruptionBudget bot\.candidate exists and does not belong to this agent\.$/,
    )
    assert.equal(await present(cluster, rig, 'Deployment', status?.candidateRevision ?? ''), false)
    assert.equal(await present(cluster, rig, 'NetworkPolicy', 'bot.candidate'), false)
    const ref = { namespace, name: parseName('name', 'bot.candidate') }
    const kept = await cluster.get<KubeObject>(children.PodDisruptionBudget, ref)
    assert.equal(kept.metadata.ownerReferences, undefined, 'the object of another owner is unchanged')
    assert.ok(status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'))
    await cluster.delete(children.PodDisruptionBudget, ref)
    const resources = { requests: { cpu: '4' }, limits: { cpu: '1' } }
    await rig.change([{ op: 'add', path: '/spec/resources', value: resources }])
    const refused = await rig.when('CandidateReady=False ClusterRefused')
    const made = madeHere()
    await touch(rig)
    await rig.when('CandidateReady=False ClusterRefused')
    assert.equal(madeHere(), made, 'an attempt makes no policy')
    assert.equal(await present(cluster, rig, 'Deployment', refused.status?.candidateRevision ?? ''), false)
    for (const kind of ['NetworkPolicy', 'PodDisruptionBudget'] as const)
      assert.equal(await present(cluster, rig, kind, 'bot.candidate'), false, `${kind}: nothing is left`)
  })
}
