import assert from 'node:assert/strict'
import test from 'node:test'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import { statusEvents } from './kube-events.ts'

const condition = { message: 'm', lastTransitionTime: '2026-11-22T00:00:00Z', observedGeneration: 1 }
const statusOf = (ready: 'True' | 'False', reason: string, currentRevision?: string): AgentDeploymentStatus => ({
  ...(currentRevision === undefined ? {} : { currentRevision }),
  conditions: [{ ...condition, type: 'Ready', status: ready, reason }],
})
const reasons = (before: AgentDeploymentStatus, after: AgentDeploymentStatus) =>
  statusEvents(
    {
      ...AgentDeployment.object({ metadata: { name: 'bot', namespace: 'demo' }, spec: { model: { route: 'mock' } } }),
      status: before,
    },
    after,
  ).map(({ reason }) => reason)

test('UXL12: the restart of a revision is no Ready Event', () => {
  const serving = statusOf('True', 'Serving', 'bot-a')
  assert.deepEqual(reasons(statusOf('False', 'Progressing', 'bot-a'), serving), [])
  assert.deepEqual(reasons(statusOf('False', 'Progressing'), serving), ['Ready'], 'the first revision')
  assert.deepEqual(reasons(statusOf('False', 'Progressing', 'bot-b'), serving), ['Ready'], 'another revision')
  assert.deepEqual(reasons(statusOf('False', 'CrashLoopBackOff', 'bot-a'), serving), ['Ready'], 'the end of a failure')
})

const degraded = (reason: string): AgentDeploymentStatus => ({
  conditions: [{ ...condition, type: 'Degraded', status: 'True', reason, message: 'd' }],
})
const lastTermination = {
  pod: 'bot-1',
  container: 'agent',
  reason: 'OOMKilled',
  exitCode: 137,
  restartCount: 0,
  finishedAt: '2026-11-22T10:00:00Z',
  message: 'm',
}

test('PODA23: a termination that makes an agent Degraded has one Event', () => {
  const both = { ...degraded('OOMKilled'), lastTermination }
  assert.deepEqual(reasons({}, both), ['OOMKilled'], 'in one status')
  assert.deepEqual(reasons({}, { lastTermination }), ['OOMKilled'])
  assert.deepEqual(reasons({ lastTermination }, both), [], 'Degraded in a later status')
  const again = { ...lastTermination, finishedAt: '2026-11-22T10:01:00Z' }
  assert.deepEqual(reasons(both, { ...both, lastTermination: again }), ['OOMKilled'], 'the next termination')
  assert.deepEqual(reasons({ lastTermination }, { ...degraded('ImagePullBackOff'), lastTermination }), [
    'ImagePullBackOff',
  ])
})
