import assert from 'node:assert/strict'
import test from 'node:test'
import { deploymentProgress } from './workload-progress.ts'

test('numbers of a Deployment are ignored until its newest template is observed', () => {
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
