import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { beginDispatch, decideDispatch, stateAfterResponse } from './decide-dispatch.ts'
import type { DispatchAction, DispatchResponse, DispatchState, SegmentState } from './decide-dispatch.ts'

const patience = { unreachableAfterMs: 60_000, busyPatienceMs: 10_000 }
const given = (segment: SegmentState, some: Partial<DispatchState> = {}): DispatchState => ({
  ...patience,
  segment,
  cancelRequested: false,
  workerStopping: false,
  hasUntriedPod: false,
  now: 1_000_000,
  reachableAt: 1_000_000,
  ...some,
})

const fresh: SegmentState = { kind: 'new' }
const own: SegmentState = { kind: 'started', by: 'this-worker', ticket: 't', unanswered: false }
const ownUnanswered: SegmentState = { ...own, unanswered: true }
const previous: SegmentState = { kind: 'started', by: 'previous-worker', ticket: 't', unanswered: false }
const previousUnanswered: SegmentState = { ...previous, unanswered: true }

const refused = (kind: 'busy' | 'unavailable', withoutRun: boolean): DispatchResponse => ({
  kind,
  withoutRun,
  runTimeoutMs: 5_000,
})
const busy = refused('busy', true)
const unavailable = refused('unavailable', true)
const silent: DispatchResponse = { kind: 'no-answer' }
const unsent: DispatchResponse = { kind: 'unsent' }
const stale: DispatchResponse = { kind: 'stale-ticket' }
const rejected: DispatchResponse = { kind: 'rejected' }

const overdue = { reachableAt: 1_000_000 - patience.unreachableAfterMs - 1 }
const busyTooLong = { busySince: 1_000_000 - patience.busyPatienceMs - 1 }
const brief = (action: DispatchAction): string =>
  [action.do, ...Object.values(action).slice(1)].filter((part) => part !== undefined).join(' ')

const rows = (table: readonly (readonly [DispatchState, DispatchResponse, string])[]): void => {
  for (const [state, answer, expected] of table)
    assert.equal(brief(decideDispatch(state, answer)), expected, JSON.stringify({ segment: state.segment, answer }))
}

test('O6: given a new segment, when a ticket arrives, then the start is committed before the invocation', () => {
  assert.equal(brief(beginDispatch(given(fresh))), 'ask-ticket')
  rows([
    [given(fresh), { kind: 'ticket', ticket: 't' }, 'commit-start t'],
    [given(fresh), { kind: 'ticket', ticket: undefined }, 'commit-start'],
    [given(fresh), { kind: 'committed', ticket: 't' }, 'invoke t'],
    [given(fresh), { kind: 'superseded' }, 'abandon'],
    [given(own), { kind: 'accepted', agentRevision: 7 }, 'follow 7'],
    [given(ownUnanswered), { kind: 'accepted', agentRevision: undefined }, 'follow'],
  ])
  const { segment } = stateAfterResponse(given(fresh), { kind: 'committed', ticket: 't' })
  assert.deepEqual(segment, own)
})

test('O6: given a segment that no launcher has, when a launcher refuses or is not connected, then another one is asked', () => {
  for (const segment of [fresh, own])
    for (const answer of [busy, refused('busy', false), unavailable, refused('unavailable', false), unsent, stale])
      rows([
        [given(segment), answer, 'wait timer-or-cancel'],
        [given(segment, { hasUntriedPod: true }), answer, 'choose-launcher'],
        [given(segment, { hasUntriedPod: true, cancelRequested: true }), answer, 'fail agent_unreachable'],
      ])
  rows([
    [given(fresh), silent, 'wait timer-or-cancel'],
    [given(own), { kind: 'waited' }, 'choose-launcher'],
    [given(own, { cancelRequested: true }), { kind: 'waited' }, 'fail agent_unreachable'],
    [given(own), { kind: 'launcher', samePod: true }, 'invoke t'],
    [given(own), { kind: 'launcher', samePod: false }, 'ask-ticket'],
    [given(fresh), { kind: 'launcher', samePod: true }, 'ask-ticket'],
  ])
  assert.deepEqual(stateAfterResponse(given(own), stale).segment, fresh)
  assert.deepEqual(stateAfterResponse(given(own), { kind: 'launcher', samePod: false }).segment, fresh)
})

test('O6: given an invocation without an answer, when the pod is listed, then it is repeated there and nowhere else', () => {
  assert.deepEqual(stateAfterResponse(given(own), silent).segment, ownUnanswered)
  for (const segment of [own, ownUnanswered]) rows([[given(segment, { hasUntriedPod: true }), silent, 'look-up-pod']])
  for (const answer of [unsent, unavailable, refused('busy', false), busy])
    rows([[given(ownUnanswered, { hasUntriedPod: true }), answer, 'look-up-pod']])
  rows([
    [given(ownUnanswered), { kind: 'pod', listed: true }, 'wait timer'],
    [given(ownUnanswered), { kind: 'waited' }, 'invoke t'],
    // The launcher stops the run once it has accepted it.
    [given(ownUnanswered, { cancelRequested: true }), { kind: 'waited' }, 'invoke t'],
  ])
})

test('O6: given an invocation without an answer, when its launcher has lost its state, then the run is lost', () => {
  rows([
    [given(ownUnanswered), { kind: 'pod', listed: false }, 'fail lost_worker'],
    [given(ownUnanswered), stale, 'fail lost_worker'],
  ])
  assert.deepEqual(stateAfterResponse(given(ownUnanswered), stale).segment, ownUnanswered)
})

test('given neither acceptance nor a busy answer for too long, then the agent is unreachable', () => {
  for (const answer of [unsent, silent, unavailable, stale])
    for (const segment of [fresh, own]) rows([[given(segment, overdue), answer, 'fail agent_unreachable']])
  rows([[given(ownUnanswered, overdue), refused('busy', false), 'fail agent_unreachable']])
  // A busy agent is reachable.
  rows([[given(own, overdue), busy, 'wait timer-or-cancel']])
})

test('given any other status, then the run fails as agent_error', () => {
  for (const segment of [fresh, own, ownUnanswered]) rows([[given(segment), rejected, 'fail agent_error']])
})

test('O6: given an agent that is busy for too long, then the run is requeued, unless an invocation may still arrive', () => {
  rows([
    [given(fresh, busyTooLong), busy, 'requeue 5000'],
    [given(own, busyTooLong), refused('busy', false), 'requeue 5000'],
    [given(ownUnanswered, busyTooLong), busy, 'release'],
    [given(ownUnanswered, busyTooLong), refused('busy', false), 'look-up-pod'],
    [given(own, busyTooLong), unavailable, 'wait timer-or-cancel'],
    [given(previous, busyTooLong), busy, 'requeue 5000'],
    [given(previous, busyTooLong), unavailable, 'requeue 5000'],
    [given(previousUnanswered, busyTooLong), busy, 'release'],
    [given(previous, busyTooLong), refused('busy', false), 'look-up-pod'],
  ])
  const first = stateAfterResponse(given(own, { reachableAt: 1 }), busy)
  assert.deepEqual([first.busySince, first.reachableAt], [1_000_000, 1_000_000])
  const second = stateAfterResponse({ ...first, now: 1_005_000 }, busy)
  assert.deepEqual([second.busySince, second.reachableAt], [1_000_000, 1_005_000])
})

test('O6: given a segment of a previous worker, then only its ticket is used, and no other launcher is asked', () => {
  assert.equal(brief(beginDispatch(given(previous))), 'invoke t')
  assert.equal(brief(beginDispatch(given({ ...previous, ticket: undefined }))), 'attach')
  rows([
    [given(previous), { kind: 'accepted', agentRevision: 7 }, 'follow 7'],
    [given(previous), stale, 'attach'],
    [given(previous), rejected, 'attach'],
    [given(previous), busy, 'look-up-pod'],
    [given(previous, { hasUntriedPod: true }), unsent, 'look-up-pod'],
    [given(previous), { kind: 'pod', listed: true }, 'wait timer-or-stop'],
    [given(previous), { kind: 'pod', listed: false }, 'attach'],
    [given(previous), { kind: 'waited' }, 'invoke t'],
    [given(previous, overdue), unsent, 'attach'],
    [given(previous, overdue), silent, 'attach'],
    [given(previous), { kind: 'attached', agentRevision: 3 }, 'follow 3'],
  ])
  assert.deepEqual(stateAfterResponse(given(previous), stale).segment, previous)
  assert.deepEqual(stateAfterResponse(given(previous), silent).segment, previousUnanswered)
})

test('given a cancel or a stopping worker, when a segment of a previous worker waits, then its journal is followed', () => {
  for (const some of [{ cancelRequested: true }, { workerStopping: true }]) {
    assert.equal(brief(beginDispatch(given(previous, some))), 'attach')
    rows([[given(previous, some), { kind: 'waited' }, 'attach']])
  }
})

const answers = fc.record({
  call: fc.constantFrom<DispatchResponse>(
    { kind: 'accepted', agentRevision: 1 },
    ...[true, false].flatMap((withoutRun) => [refused('busy', withoutRun), refused('unavailable', withoutRun)]),
    stale,
    rejected,
    unsent,
    silent,
  ),
  ticketRefused: fc.boolean(),
  listed: fc.boolean(),
  samePod: fc.boolean(),
  more: fc.boolean(),
  cancel: fc.boolean(),
  passedMs: fc.integer({ min: 0, max: 20_000 }),
})
type Answers = typeof answers extends fc.Arbitrary<infer Value> ? Value : never

/** Simulates a dispatch. Returns the last action and the pods where an invocation may have started. */
function play(segment: SegmentState, script: readonly Answers[]) {
  let state = given(segment)
  let action = beginDispatch(state)
  let pod = 0
  let committedAt = segment.kind === 'new' ? -1 : 0
  const mayHaveStarted = new Set<number>()
  for (const step of script) {
    const answer = ((): DispatchResponse | undefined => {
      switch (action.do) {
        case 'ask-ticket':
          return step.ticketRefused && step.call.kind !== 'accepted' ? step.call : { kind: 'ticket', ticket: `${pod}` }
        case 'commit-start':
          assert.equal(mayHaveStarted.size, 0, 'a start is committed while an invocation may have started')
          committedAt = pod
          return { kind: 'committed', ticket: action.ticket }
        case 'invoke':
          assert.equal(committedAt, pod, 'invoked at a pod that was not committed')
          if (step.call.kind === 'accepted' || step.call.kind === 'no-answer') mayHaveStarted.add(pod)
          return step.call
        case 'look-up-pod':
          return { kind: 'pod', listed: step.listed }
        case 'wait':
          return { kind: 'waited' }
        case 'choose-launcher':
          if (!step.samePod) pod++
          return { kind: 'launcher', samePod: step.samePod }
        case 'attach':
          return { kind: 'attached', agentRevision: undefined }
        default:
          return undefined
      }
    })()
    if (answer === undefined) break
    const observed = { hasUntriedPod: step.more, cancelRequested: step.cancel, now: state.now + step.passedMs }
    state = { ...state, ...observed }
    action = decideDispatch(state, answer)
    state = stateAfterResponse(state, answer)
  }
  return { action, mayHaveStarted }
}

test('O6: for any answers at most one launcher may have started the run, and then it is not requeued', () => {
  for (const segment of [fresh, previous])
    fc.assert(
      fc.property(fc.array(answers, { maxLength: 60 }), (script) => {
        const { action, mayHaveStarted } = play(segment, script)
        assert.ok(mayHaveStarted.size <= 1)
        if (action.do === 'requeue') assert.equal(mayHaveStarted.size, 0)
      }),
      { numRuns: 2_000 },
    )
})
