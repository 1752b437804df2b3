import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { Fail } from '#core/http/errors.ts'
import { type InvokeResult, runStates, terminalStates } from '#schemas/run.ts'
import {
  decideBusy,
  decideCancel,
  decideFailure,
  decideResult,
  decideResume,
  decideStart,
  type RunFact,
  type RunFacts,
  stateAfter,
} from './decide.ts'

const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }
const given = (facts: Partial<RunFacts>): RunFacts => ({
  state: 'queued',
  started: false,
  segment: 0,
  interrupts: [],
  ...facts,
})
const names = (facts: readonly RunFact[]): string[] => facts.map(({ fact }) => fact)
const failsWith = (code: string) => (error: unknown) => error instanceof Fail && error.code === code
const approval = { id: 'a', reason: 'approval_required', tool: 'delete' } as const
const question = { id: 'q', reason: 'input_required' } as const

test('O6: a segment begins once, of a run that is queued or was resumed', () => {
  for (const state of runStates) {
    const begins = state === 'queued' || state === 'running'
    assert.deepEqual(names(decideStart(given({ state }), 3)), begins ? ['started'] : [], state)
    assert.deepEqual(decideStart(given({ state, started: true }), 3), [], state)
  }
})

test('busy: a segment that no launcher took waits as before it began, unless its time is up or it is cancelled', () => {
  const began = given({ state: 'running', started: true, segment: 2 })
  assert.deepEqual(decideBusy(began, false), [{ fact: 'requeued', segment: 1 }])
  assert.equal(stateAfter('requeued', 'running'), 'queued')
  assert.deepEqual(names(decideBusy(began, true)), ['timed-out'])
  assert.deepEqual(names(decideBusy(given({ ...began, state: 'cancelling' }), false)), ['cancelled'])
  for (const state of terminalStates) assert.deepEqual(decideBusy(given({ state }), true), [])
})

test('resume: a run that is not paused, an ambiguous or unknown interrupt, an approval without a decision are refused', () => {
  assert.throws(() => decideResume(given({ state: 'running' }), {}), failsWith('run_not_paused'))
  const both = given({ state: 'paused', interrupts: [approval, question] })
  assert.throws(() => decideResume(both, { decision: 'approve' }), failsWith('interrupt_ambiguous'))
  assert.throws(() => decideResume(both, { interruptId: 'x' }), failsWith('invalid_body'))
  assert.throws(() => decideResume(given({ state: 'paused', interrupts: [approval] }), {}), failsWith('invalid_body'))
})

test('resume: the run goes on when the last interrupt is answered, and ends when an approval is denied', () => {
  const both = given({ state: 'paused', interrupts: [approval, question] })
  assert.deepEqual(names(decideResume(both, { interruptId: 'q', payload: 1 })), ['interrupt-resolved'])
  const one = given({ state: 'paused', interrupts: [approval] })
  assert.deepEqual(names(decideResume(one, { decision: 'approve' })), ['interrupt-resolved', 'resumed'])
  assert.equal(stateAfter('resumed', 'paused'), 'running')
  const denied = decideResume(one, { decision: 'reject' })
  assert.deepEqual(names(denied), ['interrupt-resolved', 'rejected'])
  assert.equal(denied[1]?.fact === 'rejected' && denied[1].failReason, 'approval_denied')
})

test('cancel: terminal runs refuse it, a second one changes nothing, an outcome reached before it stands', () => {
  for (const state of terminalStates) assert.throws(() => decideCancel(given({ state })), failsWith('run_terminal'))
  assert.deepEqual(decideCancel(given({ state: 'cancelling' })), [])
  const cancelling = given({ state: 'cancelling', started: true })
  assert.deepEqual(names(decideResult(cancelling, { state: 'succeeded', output: 1, usage })), ['succeeded'])
  const pausing: InvokeResult = {
    state: 'paused',
    pauseReason: 'input_required',
    interrupts: [question],
    checkpoint: 0,
    usage,
  }
  assert.deepEqual(names(decideResult(cancelling, pausing)), ['cancelled'])
  assert.deepEqual(names(decideFailure(cancelling, 'lost_worker')), ['cancelled'])
})

const result = fc.oneof(
  fc.constant<InvokeResult>({ state: 'succeeded', output: null, usage }),
  fc.constant<InvokeResult>({ state: 'failed', failReason: 'agent_error', message: '', usage }),
  fc.constant<InvokeResult>({ state: 'cancelled', usage }),
  fc.constant<InvokeResult>({ state: 'timed_out', usage }),
  fc.constant<InvokeResult>({
    state: 'paused',
    pauseReason: 'input_required',
    interrupts: [question],
    checkpoint: 0,
    usage,
  }),
)

test('a terminal state is never left, whatever is decided in whatever order', () => {
  const step = fc.oneof(
    fc.constant((run: RunFacts) => decideStart(run, 1)),
    fc.constant((run: RunFacts) => decideCancel(run)),
    fc.boolean().map((overdue) => (run: RunFacts) => decideBusy(run, overdue)),
    fc.constant((run: RunFacts) => decideFailure(run, 'lost_worker')),
    result.map((one) => (run: RunFacts) => decideResult(run, one)),
    fc.constantFrom('approve', 'reject').map((decision) => (run: RunFacts) => decideResume(run, { decision })),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let run = given({})
      for (const decide of steps) {
        const before = run.state
        run = apply(run, attempt(decide, run))
        if (terminalStates.has(before)) assert.equal(run.state, before)
      }
    }),
  )
})

function attempt(decide: (run: RunFacts) => readonly RunFact[], run: RunFacts): readonly RunFact[] {
  try {
    return decide(run)
  } catch (error) {
    assert.ok(error instanceof Fail)
    return []
  }
}

function apply(run: RunFacts, facts: readonly RunFact[]): RunFacts {
  return facts.reduce<RunFacts>(
    (before, fact) => ({
      state: stateAfter(fact.fact, before.state),
      started: fact.fact === 'started' || (before.started && fact.fact === 'cancel-requested'),
      segment: fact.fact === 'started' || fact.fact === 'requeued' ? fact.segment : before.segment,
      interrupts: fact.fact === 'paused' ? fact.interrupts : fact.fact === 'resumed' ? [] : before.interrupts,
    }),
    run,
  )
}
