import assert from 'node:assert/strict'
import test from 'node:test'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { settings, declarative, agentOf, workloadOf } from '../../testing/agent-fixture.ts'
import { toDeployment, toJob, toNetworkPolicy, toService } from './build-objects.ts'

test('replicas and labels of the agent do not change the pod template, the prompt does', () => {
  const template = (agent: AgentDeploymentObject) => JSON.stringify(toDeployment(workloadOf(agent), settings)['spec'])
  const withoutReplicas = (text: string) => text.replace(/"replicas":\d+,/, '')
  const base = template(agentOf(declarative))
  assert.equal(withoutReplicas(template(agentOf({ ...declarative, scaling: { replicas: 4 } }))), withoutReplicas(base))
  const plain = agentOf(declarative)
  const labelled = { ...plain, metadata: { ...plain.metadata, labels: { team: 'x' } } }
  assert.equal(template(labelled), base)
  assert.notEqual(template(agentOf({ ...declarative, systemPrompt: 'Other.' })), base)
})

test('a choice of an autoscaler is kept within the bounds, and a fixed number overrides it', () => {
  const replicas = (scaling: AgentDeploymentSpec['scaling'], chosen?: number) => {
    const live = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'bot' },
      spec: { replicas: chosen ?? 1 },
    }
    const agent = agentOf({ ...declarative, ...(scaling === undefined ? {} : { scaling }) })
    const made = toDeployment(workloadOf(agent), settings, chosen === undefined ? undefined : live)
    return (made.spec as { replicas?: number }).replicas
  }
  const bounds = { minReplicas: 2, maxReplicas: 5 }
  assert.deepEqual([replicas(bounds), replicas(bounds, 4), replicas(bounds, 9), replicas(bounds, 0)], [2, 4, 5, 2])
  assert.deepEqual([replicas(undefined, 3), replicas({ replicas: 3 }, 7), replicas({ replicas: 0 })], [1, 3, 0])
})

test('a rollout removes no pod before its successor is ready', () => {
  const { spec } = toDeployment(workloadOf(agentOf(declarative)), settings) as {
    spec?: { strategy?: { rollingUpdate?: unknown } }
  }
  assert.deepEqual(spec?.strategy?.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 })
})

test('every object has the agent’s owner reference and label', () => {
  const agent = agentOf(declarative)
  for (const object of [
    toDeployment(workloadOf(agent), settings),
    toJob(workloadOf(agent), settings),
    toService(agent),
    toNetworkPolicy(agent, settings),
  ]) {
    assert.equal(object.metadata.ownerReferences?.[0]?.uid, 'u1')
    assert.equal(object.metadata.labels?.['mesh.dev/agent'], 'bot')
  }
})
