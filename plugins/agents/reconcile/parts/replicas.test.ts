import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeClient, Resource } from '#core/kube/client.ts'
import { KubeError } from '#core/kube/status.ts'
import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import type { ReplicasProposal } from '../../contract/points.ts'
import { agentOf, command, declarative } from '../../testing/agent-fixture.ts'
import { apiServers, startReconciler, until } from '../../testing/start-reconciler.ts'
import { children } from '../owned/child-kinds.ts'
import type { DeploymentView } from '../status/workload-progress.ts'
import { askReplicas, createFindAutoscaler } from './ask-replicas.ts'

const proposed = (value: Partial<ReplicasProposal> = {}): ReplicasProposal => ({
  replicas: 3,
  reason: 'RunsWaiting',
  ...value,
})
const none = async (): Promise<undefined> => undefined
const cluster = {} as KubeClient
const ask = (spec: AgentDeploymentSpec, proposals: readonly (ReplicasProposal | undefined)[], autoscaler?: string) =>
  askReplicas(
    proposals.map((value, index) => ({ plugin: `p${index + 1}`, value: async () => value })),
    agentOf(spec),
    { cluster, findAutoscaler: async () => autoscaler },
  )
const shown = async (...args: Parameters<typeof ask>) => {
  const { replicas, condition } = await ask(...args)
  return [replicas, condition?.status, condition?.reason]
}

test('one plugin sets the number of replicas, within the bounds of both', async () => {
  const scaled = (scaling: NonNullable<AgentDeploymentSpec['scaling']>) => ({ ...declarative, scaling })
  assert.deepEqual(await ask(declarative, []), {})
  assert.deepEqual(await ask(declarative, [undefined]), {})
  assert.deepEqual(await shown(declarative, [undefined, proposed()]), [3, 'True', 'RunsWaiting'])
  assert.deepEqual(await shown(declarative, [proposed({ replicas: 0 })]), [0, 'True', 'RunsWaiting'])
  for (const [scaling, given, expected] of [
    [{ maxReplicas: 2 }, {}, 2],
    [{ minReplicas: 5 }, {}, 5],
    [{ minReplicas: 5, maxReplicas: 8 }, { max: 4 }, 4],
    [{ minReplicas: 1, maxReplicas: 8 }, { min: 4, max: 6 }, 4],
    [{ minReplicas: 1, maxReplicas: 2 }, { min: 4, max: 6, replicas: 6 }, 2],
  ] as const)
    assert.equal((await ask(scaled(scaling), [proposed(given)])).replicas, expected, JSON.stringify([scaling, given]))
  const { condition } = await ask(scaled({ maxReplicas: 2 }), [proposed({ message: '3 runs wait' })])
  assert.equal(condition?.message, '2 replicas, not 3 (0 to 2), by plugin p1: 3 runs wait')
})

test('the spec, an autoscaler and a second plugin are named, and no proposal applies', async () => {
  const fixed = { ...declarative, scaling: { replicas: 4 } }
  assert.deepEqual(await shown(fixed, [proposed()], 'hpa'), [undefined, 'False', 'ReplicasInSpec'])
  assert.deepEqual(await shown(declarative, [proposed()], 'hpa'), [undefined, 'False', 'Autoscaled'])
  assert.match((await ask(declarative, [proposed()], 'hpa')).condition?.message ?? '', /HorizontalPodAutoscaler hpa/)
  assert.deepEqual(await shown(declarative, [proposed(), proposed()]), [undefined, 'False', 'SeveralOwners'])
  assert.match((await ask(declarative, [proposed(), proposed()])).condition?.message ?? '', /these do: p1, p2\.$/)
  assert.deepEqual(await shown({ ...command, executionModel: 'job' }, [proposed()]), [undefined, undefined, undefined])
})

test('a proposal that is no number, or whose text is not printable, is refused with its field', async () => {
  const cases: [Partial<ReplicasProposal>, RegExp][] = [
    [{ replicas: -1 }, /^Plugin p1: replicas must be/],
    [{ replicas: Number.NaN }, /replicas must be/],
    [{ replicas: 1.5 }, /replicas must be/],
    [{ replicas: 1e9 }, /replicas must be/],
    [{ replicas: '3' as never }, /replicas must be/],
    [{ min: -1 }, /min must be/],
    [{ max: Infinity }, /max must be/],
    [{ min: 4, max: 3 }, /min must not exceed max/],
    [{ reason: '' }, /reason must be/],
    [{ reason: 'has space' }, /reason must be/],
    [{ reason: 'R'.repeat(65) }, /reason must be/],
    [{ message: 'a\u0000b' }, /message must be/],
    [{ message: '\ud800' }, /message must be/],
    [{ message: 'm'.repeat(513) }, /message must be/],
  ]
  for (const [value, message] of cases) {
    const verdict = await ask(declarative, [proposed(value)])
    assert.equal(verdict.replicas, undefined, JSON.stringify(value))
    assert.equal(verdict.condition?.reason, 'ProposalRefused')
    assert.match(verdict.condition.message, message)
  }
  await assert.rejects(
    askReplicas([{ plugin: 'p1', value: async () => assert.fail() }], agentOf(declarative), {
      cluster,
      findAutoscaler: none,
    }),
    /plugin p1: agents\.replicas failed/,
  )
})

test('autoscalers are listed once for many agents of a namespace, and their absence is no error', async () => {
  let lists = 0
  const items = ['bot', 'other'].map((name) => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: `of-${name}` },
    spec: { scaleTargetRef: { kind: 'Deployment', name } },
  }))
  const find = createFindAutoscaler({ list: async () => ((lists += 1), { items }) } as never)
  assert.deepEqual([await find(agentOf(declarative)), await find(agentOf(declarative))], ['of-bot', 'of-bot'])
  assert.equal(lists, 1)
  const refusing = (status: number) =>
    createFindAutoscaler({ list: () => Promise.reject(new KubeError(status, 'R', 'm')) } as never)
  assert.equal(await refusing(404)(agentOf(declarative)), undefined)
  await assert.rejects(refusing(403)(agentOf(declarative)), KubeError)
})

const autoscalers: Resource = {
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
}

for (const { make, options } of apiServers)
  test(`${make}: a plugin scales the deployed revision, also while a newer one is held`, options, async (t) => {
    let proposal: ReplicasProposal | undefined = proposed()
    let isHeld = false
    const rig = await startReconciler(t, make, {
      parts: {
        pods: [],
        gates: [{ plugin: 'gate', value: async () => (isHeld ? { reason: 'Held', message: 'Held.' } : undefined) }],
        replicas: [{ plugin: 'scaling', value: async () => proposal }],
      },
    })
    const replicas = (wanted: number) =>
      until(`${wanted} replicas`, async () => {
        const live = await rig.cluster.get<DeploymentView>(children.Deployment, rig.ref)
        return live.spec?.replicas === wanted || undefined
      })
    let touched = 0
    const touch = () =>
      rig.change([{ op: 'add', path: '/metadata/labels', value: { touched: String((touched += 1)) } }])
    await rig.create(declarative)
    await rig.when('Scaled=True RunsWaiting')
    await replicas(3)
    isHeld = true
    await rig.change([{ op: 'replace', path: '/spec/systemPrompt', value: 'Held.' }])
    await rig.when('Gated=True Held')
    proposal = proposed({ replicas: 5 })
    await touch()
    await replicas(5)
    const scale = { type: 'merge', body: { spec: { replicas: 2 } } } as const
    isHeld = false
    await rig.cluster.patch(rig.kind, rig.ref, scale, { subresource: 'scale' })
    await rig.when('Scaled=False ReplicasInSpec')
    await replicas(2)
    proposal = undefined
    await touch()
    await rig.when('Accepted=True Accepted')
    if (make === 'embedded') return
    proposal = proposed({ replicas: 7 })
    await rig.cluster.create(autoscalers, {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'theirs', namespace: rig.namespace },
      spec: {
        minReplicas: 1,
        maxReplicas: 9,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'bot' },
      },
    } as never)
    await rig.change([{ op: 'remove', path: '/spec/scaling' }])
    await until('the plugin yields to the autoscaler', async () => {
      await touch()
      const { status } = await rig.agent()
      return status?.conditions?.some(({ reason }) => reason === 'Autoscaled') === true || undefined
    })
  })
