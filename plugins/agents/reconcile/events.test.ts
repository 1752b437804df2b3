import assert from 'node:assert/strict'
import test from 'node:test'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import { statusEvents } from './events.ts'

const statusOf = (ready: 'True' | 'False', reason: string, currentRevision?: string): AgentDeploymentStatus => ({
  ...(currentRevision === undefined ? {} : { currentRevision }),
  conditions: [
    {
      type: 'Ready',
      status: ready,
      reason,
      message: 'm',
      lastTransitionTime: '2026-11-22T00:00:00Z',
      observedGeneration: 1,
    },
  ],
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
