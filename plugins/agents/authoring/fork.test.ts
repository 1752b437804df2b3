import assert from 'node:assert/strict'
import test from 'node:test'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { toFork } from './fork.ts'

const agent = (more: Partial<AgentDeploymentObject['metadata']> = {}, route = 'mock'): AgentDeploymentObject =>
  AgentDeployment.object({ metadata: { name: 'a', namespace: 'x', ...more }, spec: { model: { route } } })

test('a fork has the spec with its overrides, its origin, and no label of the platform', () => {
  const origin = agent({ uid: 'u', resourceVersion: '5', labels: { team: 'a', 'mesh.dev/agent': 'a' } })
  const copy = toFork(origin, {
    name: 'b',
    namespace: 'y',
    overrides: { model: { route: 'other' }, limits: { maxSteps: 2 } },
  })
  assert.deepEqual(copy.metadata, {
    name: 'b',
    namespace: 'y',
    labels: { team: 'a' },
    annotations: { 'mesh.dev/forked-from': 'x/a' },
  })
  assert.deepEqual(copy.spec, { model: { route: 'other' }, limits: { maxSteps: 2 } })
})
