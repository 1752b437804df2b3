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
  const { outcome, reason } = judgeReadiness(given, { uid: 'uid-1' }, now)
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

test('a run that names a revision fails at once if the status shows that it does not run', () => {
  type Status = NonNullable<JudgedAgent['status']>
  const judgedOf = (status: Status, revision: number | null = 7): string =>
    judgeReadiness({ ...agent([]), status: { observedGeneration: 3, ...status } }, { uid: 'uid-1', revision }, now)
      .reason
  const rows: readonly (readonly [Status, string])[] = [
    [{ servingRevisions: [8] }, 'RevisionNotRunning'],
    [{ servingRevisions: [8, 7] }, 'NotObserved'],
    [{ servingRevisions: [8], candidate: { number: 7 }, candidateRevision: 'robot-c' }, 'NotObserved'],
    [{ servingRevisions: [8], candidate: { number: 9 }, candidateRevision: 'robot-c' }, 'RevisionNotRunning'],
    // It is rolled out, its spec is newer than the status, or it has no pods now.
    [{ servingRevisions: [8], candidateRevision: 'robot-c' }, 'NotObserved'],
    [{ servingRevisions: [8], observedGeneration: 2 }, 'NotObserved'],
    [{ servingRevisions: [] }, 'NotObserved'],
    [{}, 'NotObserved'],
  ]
  for (const [status, expected] of rows) assert.equal(judgedOf(status), expected, JSON.stringify(status))
  assert.equal(judgedOf({ servingRevisions: [8] }, null), 'NotObserved')
})
