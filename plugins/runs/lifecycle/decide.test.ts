import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { Fail } from '#core/errors/domain-error.ts'
import { runStates, terminalStates } from '#schemas/runs/run.ts'
import type { InvokeResult } from '#schemas/runs/run.ts'
import { findProblems } from '#core/json-schema/find-problems.ts'
import {
  decideBusy,
  decideCancel,
  decideFailure,
  decideResult,
  decideResume,
  decideStart,
  stateAfter,
} from './decide.ts'
import type { RunFact, RunFacts } from './decide.ts'
import type { ResumeAnswer } from '../contract/caller-runs.ts'
import { threadMs } from '#test/harness/thread-time.ts'

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

test('O6: a segment starts once, if its run is queued or resumed', () => {
  for (const state of runStates) {
    const starts = state === 'queued' || state === 'running'
    assert.deepEqual(names(decideStart(given({ state }), 3)), starts ? ['started'] : [], state)
    assert.deepEqual(decideStart(given({ state, started: true }), 3), [], state)
  }
})

test('busy: a refused segment is requeued as before its start, unless its time limit has passed or it is cancelled', () => {
  const running = given({ state: 'running', started: true, segment: 2 })
  assert.deepEqual(decideBusy(running, false), [{ fact: 'requeued', segment: 1 }])
  assert.equal(stateAfter('requeued', 'running'), 'queued')
  assert.deepEqual(names(decideBusy(running, true)), ['timed-out'])
  assert.deepEqual(names(decideBusy(given({ ...running, state: 'cancelling' }), false)), ['cancelled'])
  for (const state of terminalStates) assert.deepEqual(decideBusy(given({ state }), true), [])
  const resumed = given({ state: 'running', started: false, segment: 1 })
  assert.deepEqual(decideBusy(resumed, false), [], 'a segment that never started is not counted down')
  assert.deepEqual(names(decideBusy(resumed, true)), ['timed-out'])
})

test('resume: a run that is not paused, an ambiguous or unknown interrupt, an approval without a decision are refused', () => {
  assert.throws(() => decideResume(given({ state: 'running' }), {}), failsWith('run_not_paused'))
  const both = given({ state: 'paused', interrupts: [approval, question] })
  assert.throws(() => decideResume(both, { decision: 'approve' }), failsWith('interrupt_ambiguous'))
  assert.throws(() => decideResume(both, { interruptId: 'x' }), failsWith('invalid_body'))
  assert.throws(() => decideResume(given({ state: 'paused', interrupts: [approval] }), {}), failsWith('invalid_body'))
})

test('resume: the run continues when the last interrupt is answered, and ends when an approval is denied', () => {
  const both = given({ state: 'paused', interrupts: [approval, question] })
  assert.deepEqual(names(decideResume(both, { interruptId: 'q', payload: 1 })), ['interrupt-resolved'])
  const one = given({ state: 'paused', interrupts: [approval] })
  assert.deepEqual(names(decideResume(one, { decision: 'approve' })), ['interrupt-resolved', 'resumed'])
  assert.equal(stateAfter('resumed', 'paused'), 'running')
  const denied = decideResume(one, { decision: 'reject' })
  assert.deepEqual(names(denied), ['interrupt-resolved', 'rejected'])
  assert.equal(denied[1]?.fact === 'rejected' && denied[1].failReason, 'approval_denied')
})

test('UXH3: a question needs an answer or a rejection; an empty body is neither', () => {
  const asked = given({ state: 'paused', interrupts: [question] })
  const refusedAt = (answer: ResumeAnswer, run = asked): string | undefined => {
    try {
      decideResume(run, answer)
      return undefined
    } catch (error) {
      assert.ok(error instanceof Fail && error.code === 'invalid_body')
      return error.message
    }
  }
  for (const empty of [{}, { payload: null }, { decision: 'approve' as const }, { reason: 'blue' }])
    assert.equal(refusedAt(empty), '/payload is required to answer a question.', JSON.stringify(empty))
  assert.deepEqual(names(decideResume(asked, { payload: false })), ['interrupt-resolved', 'resumed'])
  assert.deepEqual(names(decideResume(asked, { decision: 'reject' })), ['interrupt-resolved', 'rejected'])
  const login = given({ state: 'paused', interrupts: [{ id: 'l', reason: 'auth_required' }] })
  assert.equal(refusedAt({}, login), '/decision must be approve or reject.')
  assert.deepEqual(names(decideResume(login, { decision: 'approve' })), ['interrupt-resolved', 'resumed'])
  const edited = { arguments: { expression: '1' } }
  assert.match(refusedAt({ ...edited, payload: 1 }) ?? '', /^\/arguments only with/)
  const one = given({ state: 'paused', interrupts: [approval] })
  assert.match(refusedAt({ ...edited, decision: 'reject' }, one) ?? '', /^\/arguments only with/)
  assert.match(refusedAt({ onReject: 'answer', decision: 'approve' }, one) ?? '', /^\/onReject only with/)
})

test('a rejection of a guardrail fails the run, and of anything else rejects it', () => {
  const guardrail = { id: 'grd_1', reason: 'approval_required' } as const
  const both = given({ state: 'paused', interrupts: [guardrail, approval] })
  const [, failed] = decideResume(both, { interruptId: 'grd_1', decision: 'reject' })
  assert.deepEqual(failed, { fact: 'failed', failReason: 'guardrail_blocked' })
  const [, rejected] = decideResume(both, { interruptId: 'a', decision: 'reject' })
  assert.deepEqual(rejected, { fact: 'rejected', failReason: 'approval_denied' })
})

test('UXH4: a decision has tool, reason and edits; a rejection as the answer continues the run', () => {
  const one = given({ state: 'paused', interrupts: [approval] })
  const resolved = { fact: 'interrupt-resolved', interruptId: 'a', tool: 'delete' } as const
  assert.deepEqual(decideResume(one, { decision: 'reject', reason: 'no numbers', onReject: 'end' }), [
    { ...resolved, decision: 'reject', decisionReason: 'no numbers' },
    { fact: 'rejected', failReason: 'approval_denied' },
  ])
  assert.deepEqual(decideResume(one, { decision: 'reject', onReject: 'answer' }), [
    { ...resolved, decision: 'reject', onReject: 'answer' },
    { fact: 'resumed' },
  ])
  assert.deepEqual(decideResume(one, { decision: 'approve', arguments: { path: '/a' } })[0], {
    ...resolved,
    decision: 'approve',
    edited: true,
  })
  const both = given({ state: 'paused', interrupts: [approval, question] })
  const first = decideResume(both, { interruptId: 'a', decision: 'reject', onReject: 'answer' })
  assert.deepEqual(names(first), ['interrupt-resolved'])
})

test('UXH4: an answer is validated by type, fields and bounds of its schema, with bounded work', () => {
  const schema = {
    type: 'object',
    required: ['expression'],
    additionalProperties: false,
    properties: {
      expression: { type: 'string', maxLength: 5 },
      unit: { enum: ['m', 'km'] },
      digits: { type: 'integer', minimum: 0 },
      parts: { type: ['array', 'null'], items: { type: 'number' } },
    },
  }
  const problems = (value: unknown) => findProblems({ value, schema, pointer: '/arguments' })
  assert.deepEqual(problems({ expression: '1+1', unit: 'km', digits: 2, parts: [1, 0.5] }), [])
  assert.deepEqual(problems({ expression: '1+1', parts: null }), [])
  assert.deepEqual(problems([]), [{ pointer: '/arguments', detail: 'must be object' }])
  assert.deepEqual(problems({ 'a/b': 1, unit: 'mile', digits: 0.5, parts: [1, 'x'] }), [
    { pointer: '/arguments/expression', detail: 'is required' },
    { pointer: '/arguments/a~1b', detail: 'is not a field of the schema' },
    { pointer: '/arguments/unit', detail: 'must be one of the values of the schema' },
    { pointer: '/arguments/digits', detail: 'must be integer' },
    { pointer: '/arguments/parts/1', detail: 'must be number' },
  ])
  assert.deepEqual(problems({ expression: '123456', digits: -1 }), [
    { pointer: '/arguments/expression', detail: 'maxLength is 5' },
    { pointer: '/arguments/digits', detail: 'minimum is 0' },
  ])
  for (const odd of [null, true, 'x', { type: 7 }, { enum: 1 }, { pattern: '(a+)+$' }])
    assert.deepEqual(findProblems({ value: `${'a'.repeat(40)}!`, schema: odd, pointer: '' }), [], JSON.stringify(odd))
  const required = Array.from({ length: 10_000 }, (_, n) => `f${n}`)
  const startedAt = threadMs()
  const many = findProblems({
    value: Array.from({ length: 100_000 }, () => ({})),
    schema: { items: { required } },
    pointer: '',
  })
  assert.equal(many.length, 20)
  assert.ok(threadMs() - startedAt < 1_000, 'the work is less than the product of schema and value')
})

test('cancel: an ended run refuses it, a second one changes nothing, an earlier outcome is kept', () => {
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

test('a terminal state is final, after any decisions in any order', () => {
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
