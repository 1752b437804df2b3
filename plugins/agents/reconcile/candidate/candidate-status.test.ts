import assert from 'node:assert/strict'
import test from 'node:test'
import { revisionHeld } from '../../contract/events.ts'
import { agentOf, declarative, settings, specs, workloadOf } from '../../testing/agent-fixture.ts'
import { toCandidate, toCandidatePolicy } from './build-candidate.ts'
import { wantsCandidate } from './read-candidate.ts'
import { factsOf } from '../facts/agent-facts.ts'
import { toDeployment, toNetworkPolicy } from '../objects/build-objects.ts'
import type { AgentPod } from '../status/agent-pod.ts'
import { candidateReady, toCandidateStatus } from '../status/candidate-status.ts'

const podOf = (podIP: string | undefined, ready = 'True', more: object = {}): AgentPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', uid: `u-${podIP}`, ...more },
  status: { ...(podIP === undefined ? {} : { podIP }), conditions: [{ type: 'Ready', status: ready }] },
})
const stateOf = (...pods: AgentPod[]) => ({ revision: 'bot-abc', number: 3, problem: undefined, pods })

test('the status of a candidate has addresses of pods only', () => {
  const addresses = ['10.0.0.1', '::1', '', 'evil.example', '10.0.0.1:8080', '10.0.0.1/x', '\u0000', '\ud800', '1.2.3']
  const { candidate } = toCandidateStatus(stateOf(podOf(undefined), ...addresses.map((one) => podOf(one))))
  assert.deepEqual(
    candidate.pods.map(({ address }) => address),
    ['10.0.0.1', '::1'],
  )
  const many = toCandidateStatus(stateOf(...Array.from({ length: 30 }, (_, i) => podOf(`10.0.0.${i}`))))
  assert.equal(many.candidate.pods.length, 8)
})

test('a terminating or unready pod takes no runs', () => {
  const leaving = podOf('10.0.0.1', 'True', { deletionTimestamp: '2026-11-29T00:00:00Z' })
  for (const pod of [leaving, podOf('10.0.0.1', 'False')]) {
    assert.deepEqual(
      toCandidateStatus(stateOf(pod)).candidate.pods.map(({ ready }) => ready),
      [false],
    )
    assert.equal(candidateReady(stateOf(pod)).status, 'False')
  }
  const problem = { reason: 'ImagePullBackOff', message: 'container agent: no image' }
  assert.deepEqual(candidateReady({ ...stateOf(), problem }), { type: 'CandidateReady', status: 'False', ...problem })
  assert.equal(candidateReady({ ...stateOf(podOf('10.0.0.1')), problem }).status, 'True')
})

test('a candidate runs only if each gate that holds the revision agrees', () => {
  const hold = { plugin: 'a', reason: 'R', message: 'm' }
  assert.equal(wantsCandidate([]), false)
  assert.equal(wantsCandidate([{ ...hold, candidate: true }]), true)
  assert.equal(wantsCandidate([{ ...hold, candidate: true }, hold]), false)
  assert.equal(wantsCandidate([hold]), false)
})

test('the launcher of a candidate is started as one, and no other', () => {
  for (const [name, spec] of Object.entries(specs)) {
    const workload = workloadOf(agentOf(spec))
    assert.doesNotMatch(JSON.stringify(toDeployment(workload, settings)), /MESH_AGENT_CANDIDATE/, name)
    assert.match(
      JSON.stringify(toCandidate(workload, settings)),
      /{"name":"MESH_AGENT_CANDIDATE","value":"true"}/,
      name,
    )
  }
})

test('members of a registry reach pods of the agent, and no candidate', () => {
  const agent = agentOf({ ...declarative, registries: [{ name: 'main' }] })
  type Policy = { ingress: readonly object[]; egress: readonly object[] }
  const [own, candidate] = [toNetworkPolicy(agent, settings), toCandidatePolicy(agent, settings)].map(
    ({ spec }) => spec as Policy,
  )
  assert.deepEqual([own?.ingress.length, candidate?.ingress.length], [2, 1])
  assert.deepEqual(candidate?.egress, own?.egress)
  assert.doesNotMatch(JSON.stringify(candidate?.ingress), /registry\.mesh\.dev/)
})

test('the same status gives the same events, in any process', () => {
  const agent = agentOf(declarative)
  const condition = (type: string, status: 'True' | 'False', reason: string) => ({
    type,
    status,
    reason,
    message: 'secret text',
    lastTransitionTime: '2026-11-29T10:00:00Z',
    observedGeneration: 3,
  })
  const status = {
    currentRevision: 'bot-1',
    latestSuccessfulRevision: 'bot-1',
    latestSuccessfulTime: '2026-11-29T09:00:00Z',
    conditions: [
      condition('Ready', 'True', 'Serving'),
      condition('Degraded', 'True', 'OOMKilled'),
      condition('Gated', 'True', 'R'),
    ],
  }
  const held = [{ plugin: 'trial', reason: 'R', message: 'm' }]
  const facts = factsOf(agent, status, { newest: 'bot-2', held, candidate: undefined })
  assert.deepEqual(
    facts.map(({ id, data }) => [id, data]),
    [
      ['agents/u1/revision-deployed/bot-1/2026-11-29T09:00:00Z', { revision: 'bot-1' }],
      [
        'agents/u1/revision-held/bot-2/2026-11-29T10:00:00Z',
        { revision: 'bot-2', plugin: 'trial', condition: 'Gated', reason: 'R', candidate: false },
      ],
      ['agents/u1/ready/2026-11-29T10:00:00Z', { revision: 'bot-1' }],
      ['agents/u1/degraded/2026-11-29T10:00:00Z', { reason: 'OOMKilled', serving: 'bot-1' }],
    ],
  )
  assert.doesNotMatch(JSON.stringify(facts.map(({ data }) => data)), /secret text/)
  const none = factsOf(agent, { conditions: [] }, { newest: 'bot-2', held: [], candidate: undefined })
  assert.deepEqual(none, [])
  assert.equal(facts[1]?.type, revisionHeld)
})
