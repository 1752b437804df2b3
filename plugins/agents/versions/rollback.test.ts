import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { Caller } from '#core/cluster/caller.ts'
import { parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { needs } from '#test/harness/find-server.ts'
import { controllerRevisions } from '../contract/resources.ts'
import { servePlugin } from '../testing/serve.ts'
import { rollBack } from './rollback.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')

// An agent without annotations, whose patch has a resource version, with one revision. `disturb` runs before each patch.
async function setUp(t: TestContext, disturb: (patches: number, again: () => Promise<void>) => Promise<unknown>) {
  const { admin, namespace } = await servePlugin(t, 'rollback', () => [])
  const ref = { namespace, name: parseName('name', 'a') }
  const create = async (): Promise<AgentDeploymentObject> => {
    const metadata = { name: 'a', namespace }
    const agent = await admin.create(
      AgentDeployment,
      AgentDeployment.object({ metadata, spec: { model: { route: 'new' } } }),
    )
    return agent as AgentDeploymentObject
  }
  const agent = await create()
  const { apiVersion, kind } = agent
  const { uid = '' } = agent.metadata
  await admin.create(controllerRevisions, {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: 'a-1',
      namespace,
      labels: { 'mesh.dev/agent': 'a' },
      ownerReferences: [{ apiVersion, kind, name: 'a', uid, controller: true }],
    },
    data: { spec: { model: { route: 'old' } } },
    revision: 1,
  } as never)
  const again = async (): Promise<void> => {
    await admin.delete(AgentDeployment, ref)
    await create()
  }
  let patches = 0
  const patch: typeof admin.patch = async (...given) => {
    await disturb(++patches, again)
    return admin.patch(...given)
  }
  const caller = { cluster: { ...admin, patch } } as unknown as Caller
  const write = (count: number) =>
    admin.patch(AgentDeployment, ref, { type: 'merge', body: { metadata: { labels: { count: String(count) } } } })
  const roll = () => rollBack(caller, ref, 1, { dryRun: false, signal: AbortSignal.timeout(60_000) })
  return { roll, write, patches: () => patches }
}

test('a rollback wins over a controller that writes the agent six times meanwhile', real, async (t) => {
  const world = await setUp(t, async (patches) => patches <= 6 && world.write(patches))
  const { spec, metadata } = await world.roll()
  assert.deepEqual([spec.model, metadata.annotations], [{ route: 'old' }, { 'mesh.dev/rollback-to': '1' }])
  assert.equal(world.patches(), 7)
})

test(
  'a rollback ends with the conflict if the agent is changed without a pause, or was created again',
  real,
  async (t) => {
    const isConflict = (error: unknown): boolean => isStatus(error, 409)
    const busy = await setUp(t, async (patches) => busy.write(patches))
    await assert.rejects(busy.roll(), isConflict)
    assert.equal(busy.patches(), 10)
    const fresh = await setUp(t, async (_patches, again) => again())
    await assert.rejects(fresh.roll(), isConflict)
    assert.equal(fresh.patches(), 1)
  },
)
