import assert from 'node:assert/strict'
import test from 'node:test'
import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { settings, declarative, command, agentOf, processSpecs } from '../../testing/agent-fixture.ts'
import { REVISION_NUMBER_LABEL } from '#schemas/names/labels.ts'
import type { AgentPod } from './agent-pod.ts'
import { statusEvents } from './kube-events.ts'
import type { ReconcileSettings } from '../../contract/reconcile-settings.ts'
import { toStatus } from './agent-status.ts'
import type { Findings } from './agent-status.ts'

const now = new Date('2026-11-21T10:00:00.123Z')
const finding = (more: Partial<Findings> = {}): Findings => ({
  agent: agentOf(declarative),
  refusal: undefined,
  unresolved: undefined,
  blocked: undefined,
  deployed: 'bot-new',
  progress: { serving: true, complete: true, scaledToZero: false, failure: undefined },
  podProblem: undefined,
  routes: ['demo/mock'],
  isLeaving: false,
  ...more,
})
const conditionsOf = (found: Findings) =>
  Object.fromEntries(
    (toStatus(found, settings, now).conditions ?? []).map((one) => [one.type, `${one.status} ${one.reason}`]),
  )

test('a complete rollout is Ready and not Degraded', () => {
  const status = toStatus(finding(), settings, now)
  assert.deepEqual(
    [status.currentRevision, status.candidateRevision, status.url],
    ['bot-new', undefined, 'https://bot.demo.svc:8080'],
  )
  assert.deepEqual(conditionsOf(finding()), {
    Accepted: 'True Accepted',
    ResolvedRefs: 'True ResolvedRefs',
    EvalGated: 'False NoGate',
    Isolated: 'True NoAgentProcess',
    Ready: 'True Serving',
    Degraded: 'False AsExpected',
  })
  assert.equal(status.conditions?.[0]?.lastTransitionTime, '2026-11-21T10:00:00Z')
  const gated = agentOf({ ...declarative, evalGate: { suiteRef: { name: 'polite' } } })
  assert.equal(conditionsOf(finding({ agent: gated }))['EvalGated'], 'False NotHeld')
  const unresolved = { reason: 'NotFound', message: 'EvalSuite demo/polite does not exist.' }
  assert.equal(conditionsOf(finding({ agent: gated, unresolved }))['EvalGated'], 'Unknown NotResolved')
  const refusal = { reason: 'PodNotAllowed', message: 'spec.pod' }
  assert.equal(conditionsOf(finding({ agent: gated, refusal }))['EvalGated'], 'Unknown NotAccepted')
})

test('while the last good revision serves, Degraded reports why the new one does not start', () => {
  const before = { currentRevision: 'bot-old', latestSuccessfulRevision: 'bot-old', conditions: [] }
  const broken = finding({
    agent: agentOf(declarative, { status: before }),
    progress: { serving: true, complete: false, scaledToZero: false, failure: undefined },
    podProblem: { reason: 'CrashLoopBackOff', message: 'exited with code 3' },
  })
  const status = toStatus(broken, settings, now)
  assert.deepEqual([status.currentRevision, status.candidateRevision], ['bot-old', 'bot-new'])
  const conditions = conditionsOf(broken)
  assert.deepEqual([conditions['Ready'], conditions['Degraded']], ['True Serving', 'True CrashLoopBackOff'])
  assert.deepEqual(
    statusEvents(broken.agent, status).map((one) => [one.type, one.reason]),
    [
      ['Normal', 'Ready'],
      ['Warning', 'CrashLoopBackOff'],
    ],
  )
})

test('a refused spec that never ran is not Ready, with the reason of the refusal', () => {
  const refused = finding({
    refusal: { reason: 'PluginDisabled', message: 'x' },
    deployed: undefined,
    progress: undefined,
  })
  const conditions = conditionsOf(refused)
  assert.deepEqual(
    [conditions['Accepted'], conditions['ResolvedRefs'], conditions['Ready'], conditions['Degraded']],
    ['False PluginDisabled', 'Unknown NotAccepted', 'False PluginDisabled', 'True PluginDisabled'],
  )
  assert.equal(toStatus(refused, settings, now).currentRevision, undefined)
})

test('the transition time of a condition is kept while its status is unchanged', () => {
  const first = toStatus(finding(), settings, now)
  const agent = agentOf(declarative, { status: first })
  const later = toStatus(finding({ agent }), settings, new Date('2026-11-21T11:00:00Z'))
  assert.deepEqual(later, first)
  assert.deepEqual(statusEvents(agent, later), [])
})

test('P5, SEC12: Isolated is true for an agent with its own container, else it names who can read the tokens', () => {
  const verdict = (spec: AgentDeploymentSpec, isolation: ReconcileSettings['isolation']) => {
    const { conditions = [] } = toStatus(finding({ agent: agentOf(spec) }), { isolation }, now)
    const { status, reason, message } = conditions.find(({ type }) => type === 'Isolated') ?? {}
    return [`${status} ${reason}`, message] as const
  }
  assert.equal(verdict(command, 'container')[0], 'True SeparateContainers')
  assert.equal(verdict(declarative, 'none')[0], 'True NoAgentProcess')
  for (const spec of Object.values(processSpecs)) assert.equal(verdict(spec, 'none')[0], 'False SameUser')
  assert.match(verdict(command, 'none')[1] ?? '', /run as the same user.*admin/)
})

test('the status has the numbers of revisions whose pods take runs', () => {
  const pod = (revision: string | undefined, more: object = {}): AgentPod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'p',
      labels: revision === undefined ? {} : { [REVISION_NUMBER_LABEL]: revision },
      ...more,
    },
  })
  const serving = (...pods: AgentPod[]) => toStatus(finding({ pods }), settings, now).servingRevisions
  assert.deepEqual(serving(pod('2'), pod('10'), pod('2')), [10, 2])
  assert.deepEqual(serving(pod('3', { deletionTimestamp: '2026-11-29T00:00:00Z' }), pod('4')), [4])
  assert.equal(serving(), undefined)
  for (const hostile of [undefined, '', '0', '-1', '1.5', 'x', '1e999']) assert.equal(serving(pod(hostile)), undefined)
  assert.equal(serving(...Array.from({ length: 40 }, (_, n) => pod(String(n + 1))))?.length, 16)
})
