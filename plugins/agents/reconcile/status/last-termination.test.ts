import assert from 'node:assert/strict'
import test from 'node:test'
import type { AgentPod, ContainerStatus } from './agent-pod.ts'
import { lastTermination } from './last-termination.ts'

const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: '2026-11-22T10:00:00Z' }

const podWith = (status: Omit<ContainerStatus, 'name'>): AgentPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'bot-1' },
  spec: { containers: [{ name: 'agent', resources: { limits: { memory: '64Mi' } } }] },
  status: { containerStatuses: [{ name: 'agent', ...status }] },
})

test('PODA23: the report of a termination does not depend on when the pod is read', () => {
  const reads = [
    podWith({ restartCount: 2, state: { terminated } }),
    podWith({ restartCount: 2, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated } }),
    podWith({ restartCount: 3, state: { running: {} }, lastState: { terminated } }),
  ]
  for (const pod of reads)
    assert.deepEqual(lastTermination([pod], undefined), {
      pod: 'bot-1',
      container: 'agent',
      reason: 'OOMKilled',
      exitCode: 137,
      restartCount: 2,
      finishedAt: '2026-11-22T10:00:00Z',
      message: 'container agent exceeded its memory limit of 64Mi',
    })
})

test('PODA23: the newest termination is reported, and an older one does not replace it', () => {
  const at = (finishedAt: string) => podWith({ state: { terminated: { ...terminated, finishedAt } } })
  const newest = lastTermination([at('2026-11-22T10:00:01Z'), at('2026-11-22T10:00:00Z')], undefined)
  assert.equal(newest?.finishedAt, '2026-11-22T10:00:01Z')
  assert.equal(lastTermination([at('2026-11-22T10:00:00Z')], newest), newest)
})
