import assert from 'node:assert/strict'
import test from 'node:test'
import { judgeReadiness } from './judge-readiness.ts'
import type { AgentCondition, JudgedAgent } from './judge-readiness.ts'

const now = new Date('2026-11-28T10:00:00Z')
const agent = (conditions: readonly AgentCondition[], currentRevision?: string): JudgedAgent => ({
  apiVersion: 'mesh.dev/v1alpha1',
  kind: 'AgentDeployment',
  metadata: { name: 'robot', uid: 'uid-1', generation: 3 },
  spec: {},
  status: { conditions, ...(currentRevision === undefined ? {} : { currentRevision }) },
})
const refused = { type: 'Accepted', status: 'False', reason: 'PodNotAllowed', message: 'hostPath /etc' }
const unready = (reason: string) => ({ type: 'Ready', status: 'False', reason })
const unresolved = (reason: string, lastTransitionTime: string) => [
  { type: 'ResolvedRefs', status: 'False', reason, lastTransitionTime },
  unready(reason),
]
const judged = (given: JudgedAgent | undefined) => {
  const { outcome, reason } = judgeReadiness(given, 'uid-1', now)
  return `${outcome} ${reason}`
}

test('R2-UX-11: a run waits while waiting can help, and fails at once for what only a change of the spec mends', () => {
  const long = '2026-11-28T09:59:55Z'
  const rows = [
    [undefined, 'never AgentDeleted'],
    [{ ...agent([]), metadata: { name: 'robot', uid: 'uid-2' } }, 'never AgentDeleted'],
    [{ ...agent([]), spec: { executionModel: 'job' } }, 'never JobAgent'],
    [agent([refused, unready('PodNotAllowed')]), 'never PodNotAllowed'],
    [agent([{ ...refused, observedGeneration: 2 }]), 'waits NotObserved'],
    [agent([{ ...refused, observedGeneration: 3 }]), 'never PodNotAllowed'],
    [agent([refused, unready('PodNotAllowed')], 'robot-1'), 'waits PodNotAllowed'],
    [agent(unresolved('NotFound', long)), 'never NotFound'],
    [agent(unresolved('NotFound', '2026-11-28T09:59:56Z')), 'waits NotFound'],
    [agent(unresolved('NameNotFound', long)), 'waits NameNotFound'],
    [agent([unready('ImagePullBackOff')]), 'waits ImagePullBackOff'],
    [agent([{ type: 'Ready', status: 'True', reason: 'Serving' }]), 'waits NoReadyPod'],
    [agent([]), 'waits NotObserved'],
  ] as const
  for (const [given, expected] of rows) assert.equal(judged(given), expected)
})

test('R2-UX-11: a reason that is no word of Kubernetes is not passed on', () => {
  for (const reason of ['', 'sk-secret text', 'A\u0000', '\ud800', 'R'.repeat(65), 'Straße', 'A\nB'])
    assert.equal(judged(agent([unready(reason)])), 'waits Unknown')
})
