import assert from 'node:assert/strict'
import test from 'node:test'
import { flattenTree } from '#ui/parts/trace/flat-tree.ts'
import { typedPayloadOf, wantsObject } from '../../plugins/agents/console/playground/typed-payload.ts'
import { nameOfAgent, toTreeSpan } from '../../plugins/agents/console/playground/live-tree.ts'
import { newPlayedRun, playEvents } from '../../plugins/agents/console/playground/played-run.ts'
import { toMessageWords } from '../../plugins/agents/console/playground/to-message-words.ts'
import { answeringEvents, askingEvents, eventOf } from './played-events.ts'

const begun = newPlayedRun('run', 'careful')
const asking = playEvents(begun, askingEvents)
const answered = playEvents(asking, answeringEvents)

test('a run that asks is paused with its question, and goes on after the decision', () => {
  assert.deepEqual(
    [asking.state, asking.interrupts.map(({ tool }) => tool), asking.isEnded],
    ['paused', ['calculate'], false],
  )
  const resumed = playEvents(asking, answeringEvents.slice(0, 2))
  assert.deepEqual([resumed.state, resumed.interrupts.length], ['running', 0])
  assert.deepEqual([answered.state, answered.isEnded, answered.output], ['succeeded', true, 'The answer is 42.'])
})

test('an answer has its calls and texts in the order in which they came', () => {
  const [call, words] = answered.parts
  assert.deepEqual(call?.kind === 'tool' && [call.name, call.input, call.output, call.durationMs, call.isDone], [
    'calculate',
    { expression: '6 * 7' },
    { value: 42 },
    100,
    true,
  ])
  assert.deepEqual(words?.kind === 'text' && [words.words, words.isDone], ['The answer is 42.', true])
})

test('a delta that comes twice after a cut, or a snapshot of the text, changes nothing', () => {
  const events = answeringEvents.filter(({ kind }) => kind === 'message.started' || kind === 'message.delta')
  const words = (more: readonly (typeof events)[number][]) => {
    const [part] = playEvents(begun, [...events, ...more]).parts
    return part?.kind === 'text' ? part.words : undefined
  }
  assert.equal(words([]), 'The answer is 42.')
  assert.equal(words(events.slice(1)), 'The answer is 42.')
  assert.equal(
    words([eventOf(undefined, 'message.snapshot', { messageId: 'msg_1', text: 'The answer is' })]),
    'The answer is',
  )
})

test('the tree grows with the events, and what was open ends with the run', () => {
  const spansOf = (count: number) => {
    const root = toTreeSpan(playEvents(begun, [...askingEvents, ...answeringEvents].slice(0, count)).tree)
    return root === undefined
      ? []
      : flattenTree(root).map(({ kind, depth, duration }) => `${depth} ${kind} ${duration}`)
  }
  assert.deepEqual(spansOf(0), [])
  assert.deepEqual(spansOf(6), ['0 run undefined', '1 step undefined', '2 model 21', '2 interrupt undefined'])
  assert.deepEqual(spansOf(100), [
    '0 run 1400',
    '1 step 800',
    '2 model 21',
    '2 interrupt 200',
    '2 tool 100',
    '1 step 300',
    '2 message 100',
  ])
  const failed = playEvents(begun, [
    ...askingEvents,
    eventOf(9, 'run.failed', { failReason: 'agent_error', message: 'away' }),
  ])
  const root = toTreeSpan(failed.tree)
  assert.deepEqual([root?.status, root?.error?.message, root?.children[0]?.status], ['error', 'away', 'error'])
  assert.deepEqual([failed.state, failed.message], ['failed', 'away'])
})

test('events that this console does not know, and odd ones, change nothing that is shown', () => {
  const odd = [
    eventOf(7, 'made.up', { a: 1 }),
    eventOf(8, 'tool.args.delta', { toolCallId: 'x' }),
    eventOf(9, 'step.finished', { step: 99 }),
    eventOf(undefined, 'stream.gap', { from: 1, to: 2 }),
    eventOf(10, 'tool.finished', { toolCallId: 'never-started', isError: true }),
  ]
  const after = playEvents(asking, odd)
  assert.equal(after.state, 'paused')
  assert.deepEqual(
    after.parts.map((part) => part.kind === 'tool' && [part.name, part.hasFailed]),
    [['tool', true]],
  )
  assert.equal(after.tree.spans.length, asking.tree.spans.length)
})

test('a hundred thousand deltas of one message take no quadratic time', () => {
  const deltas = Array.from({ length: 100_000 }, (_, index) =>
    eventOf(undefined, 'message.delta', { messageId: 'm', text: 'word ', offset: index * 5 }),
  )
  const [part] = playEvents(begun, deltas).parts
  assert.equal(part?.kind === 'text' && part.words.length, 500_000)
})

test('an answer is words, or JSON where the question has a form', () => {
  assert.deepEqual(typedPayloadOf('  ', undefined), undefined)
  assert.deepEqual(typedPayloadOf('{"a":1}', { type: 'string' }), { value: '{"a":1}' })
  assert.deepEqual(typedPayloadOf('{"a":1}', { type: 'object' }), { value: { a: 1 } })
  assert.equal(typedPayloadOf('{a', { type: 'object' }), undefined)
  assert.deepEqual([wantsObject(null), wantsObject('x'), wantsObject({ type: 'boolean' })], [false, false, true])
})

test('a message shows a string as it is, other values as JSON, and says what is too long', () => {
  assert.equal(toMessageWords('<b>\u0000', false), '<b>\u0000')
  assert.match(toMessageWords({ a: 1 }, false), /^```json\n\{\n  "a": 1\n\}/)
  assert.match(toMessageWords(null, true), /too long/)
  assert.deepEqual(
    [nameOfAgent('a'), nameOfAgent({ name: 'b' }), nameOfAgent(null), nameOfAgent({ name: 3 })],
    ['a', 'b', undefined, undefined],
  )
})
