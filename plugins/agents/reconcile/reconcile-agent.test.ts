import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { KubeError } from '#core/kube/status.ts'
import { fullPod } from '#schemas/agents/pod-samples.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { apiServers, startReconciler, until } from '../testing/start-reconciler.ts'
import { controllerRevisions, pods } from '../contract/resources.ts'
import { formerNumbers } from '../versions/revisions.ts'
import type { Revision } from '../versions/revisions.ts'
import { REVISION_ANNOTATION } from './owned/names.ts'
import { children, events } from './owned/child-kinds.ts'

type PodTemplated = KubeObject<{ replicas?: number; template: { metadata: { labels: Record<string, string> } } }>

const declarative: AgentDeploymentSpec = { model: { route: 'mock' }, systemPrompt: 'You help.' }
const revisionsOf = async (cluster: KubeClient, namespace: KubeObject['metadata']['namespace']) =>
  (await cluster.list<Revision>(controllerRevisions, { namespace: parseLabel('ns', namespace ?? '') })).items.toSorted(
    (a, b) => a.revision - b.revision,
  )

for (const { make, options } of apiServers) {
  test(
    `${make}: an agent becomes its objects, serves, breaks while the old revision serves, and rolls back`,
    options,
    async (t) => {
      const { cluster, create, change, when, deploymentSays, namespace, ref } = await startReconciler(t, make)
      // Has every character that Go escapes in a JSON string and JavaScript does not.
      const spec = { ...declarative, systemPrompt: 'You help <b>people</b> & others.\u2028\u2029' }
      await create(spec)
      await when('Ready=False Progressing')
      for (const kind of ['ServiceAccount', 'Service', 'Deployment', 'PodDisruptionBudget', 'NetworkPolicy'] as const)
        assert.equal(
          (await cluster.get(children[kind], ref)).metadata.ownerReferences?.[0]?.kind,
          'AgentDeployment',
          kind,
        )
      const { items: secrets } = await cluster.list(children.Secret, { namespace })
      assert.deepEqual(secrets, [], 'R2-N3: nothing of an agent is stored as a Secret')
      await deploymentSays({ updated: 1, available: 1 })
      const good = await when('Ready=True Serving')
      const first = good.status?.currentRevision
      const { spec: served } = await cluster.get<PodTemplated>(children.Deployment, ref)
      assert.equal(good.status?.latestSuccessfulRevision, first)

      await change([{ op: 'replace', path: '/spec/systemPrompt', value: 'Broken.' }])
      await when('Ready=True Serving')
      await cluster.create(pods, brokenPod(namespace))
      await cluster.patch(
        pods,
        { namespace, name: parseName('name', 'bot-broken') },
        { type: 'merge', body: crashing },
        { subresource: 'status' },
      )
      await deploymentSays({ updated: 0, available: 1 })
      const degraded = await when('Degraded=True CrashLoopBackOff')
      assert.equal(degraded.status?.currentRevision, first, 'the last good revision serves')
      assert.notEqual(degraded.status?.candidateRevision, first)
      assert.ok(degraded.status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True'))

      // What the API's rollback does.
      const annotations = { 'mesh.dev/rollback-to': '1' }
      await change([
        { op: 'replace', path: '/spec', value: spec },
        { op: 'add', path: '/metadata/annotations', value: annotations },
      ])
      await until('the old revision is deployed again', async () => {
        const live = await cluster.get(children.Deployment, ref)
        return live.metadata.annotations?.[REVISION_ANNOTATION] === first || undefined
      })
      await deploymentSays({ updated: 1, available: 1 })
      await when('Degraded=False AsExpected')
      const revisions = await revisionsOf(cluster, namespace)
      assert.deepEqual(
        revisions.map((one) => one.revision),
        [2, 3],
      )
      const written = revisions.at(-1)?.metadata.annotations
      assert.deepEqual(
        ['source', 'revision-history', 'rollback-to'].map((name) => written?.[`mesh.dev/${name}`]),
        ['rollback', '1', '1'],
      )
      const { spec: deployed } = await cluster.get<PodTemplated>(children.Deployment, ref)
      assert.deepEqual(deployed?.template, served?.template, 'the pods that serve are those of the revision')
      const number = Number(deployed?.template.metadata.labels['mesh.dev/revision-number'])
      assert.deepEqual([number, formerNumbers(revisions.at(-1) ?? assert.fail())], [1, [1]], 'UXM8: found by it')
      const scale = { type: 'merge', body: { spec: { replicas: 2 } } } as const
      await cluster.patch(AgentDeployment, ref, scale, { subresource: 'scale' })
      await until('the replicas', async () => {
        const live = await cluster.get<PodTemplated>(children.Deployment, ref)
        return live.spec?.replicas === 2 || undefined
      })
      assert.equal((await revisionsOf(cluster, namespace)).length, 2, 'UXM17: a number of replicas is no revision')
      await until('UXM7: the author by the audit log', async () => {
        const [, newest] = await revisionsOf(cluster, namespace)
        const of = newest?.metadata.annotations
        return (of?.['mesh.dev/created-by'] === 'ada@corp' && of['mesh.dev/created-by-exact'] === 'true') || undefined
      })
      const eventReasons = (await cluster.list<KubeObject & { reason?: string }>(events, { namespace })).items.map(
        (one) => one.reason,
      )
      for (const reason of ['RevisionCreated', 'RolledOut', 'Ready', 'CrashLoopBackOff', 'RevisionRestored'])
        assert.ok(eventReasons.includes(reason), `${reason} is not among ${eventReasons.join()}`)
    },
  )

  test(`UXM12, ${make}: an agent on a route that is not ready reports it, and is deployed`, options, async (t) => {
    const { cluster, create, when, deploymentSays, namespace } = await startReconciler(t, make)
    const route = { namespace, name: parseName('name', 'mock') }
    const say = (status: 'True' | 'False', message: string) => {
      const lastTransitionTime = '2026-11-22T00:00:00Z'
      const ready = { type: 'Ready', status, reason: 'R', message, lastTransitionTime, observedGeneration: 1 }
      const body = { status: { conditions: [ready] } }
      return cluster.patch(ModelRoute, route, { type: 'merge', body }, { subresource: 'status' })
    }
    await say('False', `Provider ${namespace}/oa does not exist.`)
    await create(declarative)
    const broken = await when('ResolvedRefs=False RouteNotReady')
    assert.equal(
      broken.status?.conditions?.find(({ type }) => type === 'ResolvedRefs')?.message,
      `ModelRoute ${namespace}/mock (spec.model.route): Provider ${namespace}/oa does not exist.`,
    )
    await deploymentSays({ updated: 1, available: 1 })
    await when('Ready=True Serving')
    await say('True', 'fine')
    await when('ResolvedRefs=True ResolvedRefs')
  })

  test(`${make}: a refused spec has a reason, and the previous revision continues`, options, async (t) => {
    const { cluster, create, change, when, deploymentSays, ref } = await startReconciler(t, make)
    await create(declarative)
    await when('Ready=False Progressing')
    await deploymentSays({ updated: 1, available: 1 })
    await when('Ready=True Serving')
    const before = await cluster.get(children.Deployment, ref)
    await change([{ op: 'add', path: '/spec/budget', value: { amount: '5.00' } }])
    const refused = await when('Accepted=False PluginDisabled')
    assert.ok(refused.status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True'))
    await change([
      { op: 'remove', path: '/spec/budget' },
      { op: 'replace', path: '/spec/model/route', value: 'gone' },
    ])
    const unresolved = await when('ResolvedRefs=False NotFound')
    assert.match(
      unresolved.status?.conditions?.find((one) => one.type === 'ResolvedRefs')?.message ?? '',
      /ModelRoute .*gone \(spec\.model\.route\)/,
    )
    const { namespace } = ref
    const gone = { reason: 'NotFound', kind: 'ModelRoute', namespace, name: 'gone' }
    assert.deepEqual(unresolved.status?.unresolvedReferences, [gone])
    assert.equal((await cluster.get(children.Deployment, ref)).metadata.generation, before.metadata.generation)
    await cluster.create(
      ModelRoute,
      ModelRoute.object({ metadata: { name: 'gone', namespace }, spec: { providerRef: { name: 'mock' }, model: 'm' } }),
    )
    assert.equal((await when('ResolvedRefs=True ResolvedRefs')).status?.unresolvedReferences, undefined)
  })

  test(`${make}: a refusal of the cluster is a condition of the agent, without values`, options, async (t) => {
    const { create, change, when } = await startReconciler(t, make)
    await create({ ...declarative, resources: { requests: { cpu: '4' }, limits: { cpu: '1' } } })
    const refused = await when('Ready=False ClusterRefused')
    const message = refused.status?.conditions?.find((one) => one.type === 'Ready')?.message ?? ''
    assert.match(message, /^Deployment bot: .*spec\.template\.spec\.containers\[0\]\.resources\.requests/)
    assert.doesNotMatch(message, /"4"/)
    await change([{ op: 'remove', path: '/spec/resources' }])
    await when('Ready=False Progressing')
  })

  for (const [refused, error] of [
    ['list', new KubeError(403, 'Forbidden', 'controllerrevisions is forbidden')],
    ['create', new KubeError(500, 'InternalError', 'The cluster failed.')],
  ] as const)
    test(
      `${make}: R2-CL-10: a ${error.status} of ${refused} is a condition and one event, until it ends`,
      options,
      async (t) => {
        let isRefused = true
        const { cluster, create, change, when, namespace } = await startReconciler(t, make, {
          wrap: (manager) => ({
            ...manager,
            [refused]: async (resource: Resource, ...more: never[]) => {
              if (isRefused && resource.kind === controllerRevisions.kind) throw error
              return Reflect.apply(manager[refused], manager, [resource, ...more])
            },
          }),
        })
        await create(declarative)
        for (const condition of ['Ready=False ClusterRefused', 'Degraded=True ClusterRefused']) await when(condition)
        const warnings = async () =>
          (await cluster.list<KubeObject>(events, { namespace })).items.filter(
            (one) => one['reason'] === 'ClusterRefused',
          )
        await until('the event', async () => ((await warnings()).length > 0 ? true : undefined))
        isRefused = false
        await change([{ op: 'add', path: '/metadata/labels', value: { round: '2' } }])
        await when('Ready=False Progressing')
        assert.equal((await warnings()).length, 1)
      },
    )

  test(`${make}: R2-CL-10: a new generation has its conditions before its first object is made`, options, async (t) => {
    const seen: string[] = []
    const writer: { status?: () => Promise<string> } = {}
    const { cluster, create, change, when, ref } = await startReconciler(t, make, {
      wrap: (manager) => ({
        ...manager,
        create: async (resource: Resource, ...more: never[]) => {
          if (resource.kind === controllerRevisions.kind) seen.push((await writer.status?.()) ?? '')
          return Reflect.apply(manager.create, manager, [resource, ...more])
        },
      }),
    })
    writer.status = async () => {
      const { status, metadata } = await cluster.get<AgentDeploymentObject>(AgentDeployment, ref)
      const conditions = (status?.conditions ?? []).map(
        (one) => `${one.type}=${one.status}${one.observedGeneration === metadata.generation ? '' : ' (before)'}`,
      )
      return [status?.observedGeneration ?? 'none', ...conditions].join(' ')
    }
    await create(declarative)
    await when('Ready=False Progressing')
    await change([{ op: 'replace', path: '/spec/systemPrompt', value: 'Other.' }])
    await when('Ready=False Progressing')
    const verdicts = 'Accepted=True ResolvedRefs=True EvalGated=False Isolated=True'
    assert.deepEqual(seen, [
      `none ${verdicts} Ready=False Degraded=False`,
      `1 ${verdicts} Ready=False (before) Degraded=False (before)`,
    ])
  })

  test(`${make}: R2-CL-7: a status that another manager wrote is replaced`, options, async (t) => {
    const { cluster, create, when, deploymentSays, ref } = await startReconciler(t, make)
    await create(declarative)
    await when('Ready=False Progressing')
    await deploymentSays({ updated: 1, available: 1 })
    const agent = await when('Ready=True Serving')
    const conditions = agent.status?.conditions?.map((one) =>
      one.type === 'Ready' ? { ...one, status: 'False', reason: 'Stale' } : one,
    )
    const body = { status: { conditions } }
    await cluster.patch(AgentDeployment, ref, { type: 'merge', body }, { subresource: 'status' })
    await when('Ready=True Serving')
  })

  test(`${make}: an object of another owner is left unchanged and reported`, options, async (t) => {
    const { cluster, create, when, namespace, ref } = await startReconciler(t, make)
    const theirs = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'bot', namespace },
      spec: { ports: [{ port: 80 }] },
    }
    const before = await cluster.create<KubeObject>(children.Service, theirs)
    await create(declarative)
    await when('Ready=False NameConflict')
    assert.equal((await cluster.get(children.Service, ref)).metadata.resourceVersion, before.metadata.resourceVersion)
  })

  test(`${make}: revisions beyond revisionHistoryLimit are deleted with their configurations`, options, async (t) => {
    const { cluster, create, change, when, deploymentSays, namespace } = await startReconciler(t, make)
    await create({ ...declarative, rollout: { revisionHistoryLimit: 2 } })
    for (const prompt of ['a', 'b', 'c', 'd']) {
      await when('Accepted=True Accepted')
      await deploymentSays({ updated: 1, available: 1 })
      await change([{ op: 'replace', path: '/spec/systemPrompt', value: prompt }])
    }
    await when('Accepted=True Accepted')
    await deploymentSays({ updated: 1, available: 1 })
    const kept = await until('three are left', async () => {
      const all = await revisionsOf(cluster, namespace)
      return all.length === 3 ? all : undefined
    })
    assert.deepEqual(
      kept.map((one) => one.revision),
      [3, 4, 5],
    )
    const configs = (await cluster.list(children.ConfigMap, { namespace })).items.filter((one) =>
      one.metadata.name.startsWith('bot-'),
    )
    assert.equal(configs.length, 3)
  })

  test(`decision 8, ${make}: the cluster accepts the pods of a full spec.pod`, options, async (t) => {
    const { cluster, create, when, namespace, ref } = await startReconciler(t, make)
    for (const [kind, name] of [
      ['ConfigMap', 'settings'],
      ['Secret', 'cert'],
      ['Secret', 'registry'],
    ] as const)
      await cluster.create(children[kind], { apiVersion: 'v1', kind, metadata: { name, namespace } })
    await create({ image: 'agent:1', pod: fullPod })
    await when('Ready=False Progressing')
    type Pod = {
      template: { spec: { volumes: unknown[]; containers: { volumeMounts: unknown[] }[]; affinity: unknown } }
    }
    const { spec } = await cluster.get<KubeObject<Pod>>(children.Deployment, ref)
    const { volumes, containers, affinity } = spec?.template.spec ?? assert.fail()
    assert.equal(volumes.length, fullPod.volumes.length + 3)
    assert.equal(containers[0]?.volumeMounts.length, fullPod.volumeMounts.length + 1)
    assert.deepEqual(affinity, fullPod.affinity)
  })

  test(`F8, ${make}: a reference to a Secret of the platform is refused in every field`, options, async (t) => {
    const { cluster, create, change, when, namespace } = await startReconciler(t, make)
    await create({ image: 'agent:1' })
    const { metadata: own } = await when('ResolvedRefs=True ResolvedRefs')
    const secret = (name: string, metadata: object) =>
      cluster.create(children.Secret, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace, ...metadata },
      })
    await secret('role', { labels: { 'app.kubernetes.io/managed-by': 'mesh' } })
    await secret('old-keys', { labels: { 'mesh.dev/agent': 'other' } })
    await secret('openai', { labels: { 'mesh.dev/provider-key': 'true' } })
    await secret('tools', { labels: { 'mesh.dev/mcp-credential': 'true' } })
    const owner = { apiVersion: 'mesh.dev/v1alpha1', kind: 'AgentDeployment', name: 'bot', uid: own.uid ?? '' }
    await secret('owned', { ownerReferences: [owner] })
    await secret('mine', { labels: { 'app.kubernetes.io/managed-by': 'Helm' } })
    const specOf: Readonly<Record<string, (name: string) => AgentDeploymentSpec>> = {
      'spec.runtime.env[0].valueFrom.secretKeyRef': (name) => ({
        image: 'a:1',
        runtime: { env: [{ name: 'K', valueFrom: { secretKeyRef: { name, key: 'k' } } }] },
      }),
      'spec.pod.imagePullSecrets[0]': (name) => ({ image: 'a:1', pod: { imagePullSecrets: [{ name }] } }),
      'spec.pod.volumes[0].secret': (name) => ({
        image: 'a:1',
        pod: { volumes: [{ name: 'v', secret: { secretName: name } }] },
      }),
      'spec.pod.volumes[0].projected.sources[0].secret': (name) => ({
        image: 'a:1',
        pod: { volumes: [{ name: 'v', projected: { sources: [{ secret: { name } }] } }] },
      }),
    }
    for (const [field, spec] of Object.entries(specOf)) {
      for (const name of ['role', 'old-keys', 'openai', 'tools', 'owned']) {
        await change([{ op: 'replace', path: '/spec', value: spec(name) }])
        const held = await when('ResolvedRefs=False SecretNotForAgents')
        const { message = '' } = held.status?.conditions?.find(({ type }) => type === 'ResolvedRefs') ?? {}
        assert.ok(message.startsWith(`${field} refers`), `${name}: ${message}`)
      }
      await change([{ op: 'replace', path: '/spec', value: spec('mine') }])
      await when('ResolvedRefs=True ResolvedRefs')
      const keys = change([{ op: 'replace', path: '/spec', value: spec('bot.keys.mesh.dev') }])
      await assert.rejects(keys, { status: 422 }, `${field}: admission`)
    }
  })

  test(
    `PODA23, ${make}: a terminated container is in status and Events, also after it runs again`,
    options,
    async (t) => {
      const { cluster, create, when, deploymentSays, namespace, ref } = await startReconciler(t, make)
      await create(declarative)
      await when('Ready=False Progressing')
      await deploymentSays({ updated: 1, available: 1 })
      await when('Ready=True Serving')
      // The change of its own status reconciles it once more. After that only the pod can.
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      await cluster.create(pods, brokenPod(namespace))
      const podRef = { namespace, name: parseName('name', 'bot-broken') }
      const status = (body: object) => cluster.patch(pods, podRef, { type: 'merge', body }, { subresource: 'status' })
      await status(killedOnce)
      const shown = await until('the termination', async () => {
        const { status: agent } = await cluster.get<AgentDeploymentObject>(AgentDeployment, ref)
        return agent?.lastTermination === undefined ? undefined : agent
      })
      const { message, ...facts } = shown.lastTermination ?? assert.fail()
      assert.deepEqual(facts, {
        pod: 'bot-broken',
        container: 'agent',
        reason: 'OOMKilled',
        exitCode: 137,
        restartCount: 0,
        finishedAt: '2026-11-22T10:00:00Z',
      })
      assert.equal(message, 'container agent exceeded its memory limit')
      assert.ok(
        shown.conditions?.some((one) => one.type === 'Ready' && one.status === 'True'),
        'it serves',
      )
      type RecordedEvent = KubeObject & { reason?: string; message?: string }
      const oomEvents = await until('the event', async () => {
        const { items } = await cluster.list<RecordedEvent>(events, { namespace })
        const found = items.filter((one) => one.reason === 'OOMKilled')
        return found.length === 0 ? undefined : found
      })
      assert.deepEqual(
        oomEvents.map((one) => one.message),
        [`Pod bot-broken: ${message}`],
        'once',
      )
      await cluster.delete(pods, podRef, { graceSeconds: 0 })
      await deploymentSays({ updated: 1, available: 1 })
      assert.ok((await when('Ready=True Serving')).status?.lastTermination !== undefined, 'it stays')
    },
  )

  test(`${make}: a job runs once per revision, as a Job`, options, async (t) => {
    const { cluster, create, when, namespace } = await startReconciler(t, make)
    await create({ executionModel: 'job', image: 'worker:1', runtime: { command: ['work'] } })
    await when('Ready=False Progressing')
    const [job] = (await cluster.list(children.Job, { namespace })).items
    assert.match(job?.metadata.name ?? '', /^bot-[a-z2-7]{10}$/)
    assert.equal((await cluster.list(children.Deployment, { namespace })).items.length, 0)
  })
}

test('a re-created agent inherits nothing and waits until the old objects are garbage-collected', async (t) => {
  const { cluster, create, when, ref, namespace } = await startReconciler(t, 'embedded')
  await create(declarative)
  const old = await when('Ready=False Progressing')
  const account = await cluster.get(children.ServiceAccount, ref)
  await cluster.delete(AgentDeployment, ref, { propagation: 'Background' })
  await create(declarative)
  const recreated = await when('Ready=False Progressing')
  assert.notEqual(recreated.metadata.uid, old.metadata.uid)
  const own = await cluster.get(children.ServiceAccount, ref)
  assert.equal(own.metadata.ownerReferences?.[0]?.uid, recreated.metadata.uid)
  assert.notEqual(own.metadata.uid, account.metadata.uid)
  assert.deepEqual(
    (await revisionsOf(cluster, namespace)).map((one) => one.revision),
    [1],
  )
})

function brokenPod(namespace: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'bot-broken', namespace, labels: { 'mesh.dev/agent': 'bot' } },
    spec: { containers: [{ name: 'agent', image: 'x' }] },
  }
}

const killedOnce = {
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [
      {
        name: 'agent',
        image: 'x',
        imageID: '',
        ready: true,
        restartCount: 1,
        state: { running: { startedAt: '2026-11-22T10:00:01Z' } },
        lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: '2026-11-22T10:00:00Z' } },
      },
    ],
  },
}

const crashing = {
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'agent',
        image: 'x',
        imageID: '',
        ready: false,
        restartCount: 2,
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } },
        lastState: { terminated: { exitCode: 3, reason: 'Error' } },
      },
    ],
  },
}

test(
  'R2-CL-5: an attempt at an agent that the cluster refuses makes few requests',
  needs('kube-apiserver', 'etcd'),
  async (t) => {
    const { create, when, namespace } = await startReconciler(t, 'real')
    await create({ ...declarative, resources: { requests: { cpu: '4' }, limits: { cpu: '1' } } })
    await when('Ready=False ClusterRefused')
    const server = await sharedKube(t)
    const own = 'system:serviceaccount:mesh-system:mesh-manager'
    // Each attempt reads the agent itself before it writes.
    const attempts = await until('the third attempt', async () => {
      const entries = server
        .auditLog()
        .filter((one) => one.user.username === own && one.objectRef?.namespace === namespace)
      const starts = entries.flatMap(({ verb, objectRef }, n) =>
        verb === 'get' && objectRef?.resource === 'agentdeployments' ? [n] : [],
      )
      return starts.length > 2 ? starts.map((from, n) => entries.slice(from, starts[n + 1])) : undefined
    })
    const asked = (attempts[1] ?? []).map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ''}`)
    assert.ok(asked.length <= 3, asked.join(', '))
    assert.ok(asked.includes('patch deployments'), asked.join(', '))
  },
)
