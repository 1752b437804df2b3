import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeClient, Resource } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { confirming } from './confirm-agent.ts'
import { children, events } from './owned/child-kinds.ts'

const ref = { name: parseName('name', 'bot') }

function agentOf(more: Partial<AgentDeploymentObject['metadata']> = {}): AgentDeploymentObject {
  return AgentDeployment.object({
    metadata: { name: 'bot', namespace: 'default', uid: 'u', generation: 2, ...more },
    spec: {},
  })
}

function setUp(live: AgentDeploymentObject | undefined) {
  const calls: string[] = []
  const note = (verb: string) => async (resource: Resource) => void calls.push(`${verb} ${resource.kind}`)
  const cluster = { create: note('create'), patch: note('patch'), delete: note('delete') } as unknown as KubeClient
  const refresh = async (agent: AgentDeploymentObject) => {
    calls.push(`refresh ${agent.metadata.name}`)
    return live
  }
  return { calls, cluster: confirming(cluster, agentOf(), refresh) }
}

test('R2-CL-5: an attempt reads the agent once before its first write', async () => {
  const { calls, cluster } = setUp(agentOf({ resourceVersion: '9', labels: { round: '2' } }))
  await cluster.patch(AgentDeployment, ref, { type: 'merge', body: {} }, { subresource: 'status' })
  await cluster.create(events, agentOf())
  await cluster.patch(children.Service, ref, { type: 'merge', body: {} })
  await cluster.delete(children.Job, ref)
  assert.deepEqual(calls, ['patch AgentDeployment', 'create Event', 'refresh bot', 'patch Service', 'delete Job'])
})

test('R2-CL-5: nothing is written for an agent that was changed, deleted or made again since it was stored', async () => {
  const outdated = [
    agentOf({ generation: 3 }),
    agentOf({ uid: 'other' }),
    agentOf({ deletionTimestamp: '2026-11-28T00:00:00Z' }),
    undefined,
  ]
  for (const live of outdated) {
    const { calls, cluster } = setUp(live)
    await assert.rejects(cluster.create(children.Service, agentOf()), { name: 'AgentOutdated' })
    await assert.rejects(cluster.patch(children.Service, ref, { type: 'merge', body: {} }), { name: 'AgentOutdated' })
    await assert.rejects(cluster.delete(children.Service, ref), { name: 'AgentOutdated' })
    assert.deepEqual(calls, ['refresh bot'])
  }
})
