import assert from 'node:assert/strict'
import test from 'node:test'
import { replyForm, readReply, readArguments } from '../../plugins/runs/console/approvals/items/replies.ts'
import {
  findItem,
  isSoon,
  nextItem,
  toItems,
  withRun,
} from '../../plugins/runs/console/approvals/items/approval-items.ts'
import type { PausedRun } from '../../plugins/runs/console/approvals/items/approval-items.ts'
import { toPauseStory } from '../../plugins/runs/console/approvals/items/before-pause.ts'
import { isOwnPress } from '../../ui/parts/keys/press-guard.ts'

const now = Date.parse('2026-11-24T14:00:00Z')
const minutes = (count: number): string => new Date(now + count * 60_000).toISOString()

/** A paused run with an interrupt for each time in minutes at which one expires; null is never. */
function paused(id: string, ...ends: readonly (number | null)[]): PausedRun {
  const interrupts = ends.map((end, index) => ({
    id: `i${index}`,
    reason: 'approval_required',
    ...(end === null ? {} : { expiresAt: minutes(end) }),
  }))
  return { id, state: 'paused', createdAt: minutes(-5), interrupts } as unknown as PausedRun
}

test('what expires first is first; an interrupt that never expires is last, and a run that goes on is left out', () => {
  const items = toItems([paused('never', null), paused('two', 60, 5), { ...paused('gone', 1), state: 'running' }])
  assert.deepEqual(
    items.map(({ id }) => id),
    ['two/i1', 'two/i0', 'never/i0'],
  )
  assert.deepEqual(
    items.map(({ interrupt }) => isSoon(interrupt, now)),
    [true, false, false],
  )
})

test('an address names a decision, or a run whose first decision is meant', () => {
  const items = toItems([paused('a', 1, 2), paused('b', 3)])
  assert.equal(findItem(items, 'a/i1')?.id, 'a/i1')
  assert.equal(findItem(items, 'b')?.id, 'b/i0')
  for (const other of ['', 'c', 'a/', 'a/i1/', '/i1', '__proto__']) assert.equal(findItem(items, other), undefined)
  assert.equal(nextItem(items, 'a/i1')?.id, 'b/i0')
  assert.equal(nextItem(items, 'b/i0')?.id, 'a/i1', 'after the last one, the one above')
  assert.equal(nextItem(toItems([paused('a', 1)]), 'a/i0'), undefined)
})

test('a page has a run as a decision left it, without its content', () => {
  const page = { items: [paused('a', 1), paused('b', 2)], nextCursor: null }
  const changed = { ...paused('a'), state: 'running', input: 'x', output: 'y' } as PausedRun
  const { items } = withRun(page, changed)
  assert.deepEqual(items[0], { ...paused('a'), state: 'running' })
  assert.equal(items[1], page.items[1])
  assert.deepEqual(withRun(page, paused('other')), page)
})

test('a second press, and a press that was meant for the decision before, do nothing', () => {
  const first = { shownAt: 0, lastAt: Number.NEGATIVE_INFINITY }
  assert.ok(isOwnPress(300, first))
  assert.ok(!isOwnPress(299, first), 'it has just moved into place')
  assert.ok(!isOwnPress(1299, { shownAt: 0, lastAt: 1000 }))
  assert.ok(isOwnPress(1300, { shownAt: 0, lastAt: 1000 }))
})

test('an answer is what the schema of the question wants', () => {
  assert.deepEqual(replyForm({}), { kind: 'words' })
  assert.deepEqual(replyForm({ schema: { enum: ['a', 'b'] } }), { kind: 'choice', choices: ['a', 'b'] })
  assert.deepEqual(replyForm({ schema: { enum: [1] } }), { kind: 'words' })
  assert.deepEqual(replyForm({ schema: 'no schema' }), { kind: 'words' })
  assert.deepEqual(readReply({}, '5'), { value: '5' })
  assert.deepEqual(readReply({}, ' \n'), { problem: 'empty' })
  assert.deepEqual(readReply({ schema: { type: 'boolean' } }, 'true'), { value: true })
  assert.deepEqual(readReply({ schema: { type: 'object' } }, '{"a": 1}'), { value: { a: 1 } })
  assert.deepEqual(readReply({ schema: { type: 'integer' } }, 'five'), { problem: 'notJson' })
  assert.deepEqual(readArguments('{"a": 1}'), { value: { a: 1 } })
  for (const [written, problem] of [
    ['[1]', 'notObject'],
    ['null', 'notObject'],
    ['{a: 1}', 'notJson'],
  ])
    assert.deepEqual(readArguments(written ?? ''), { problem })
})

/** A node of a tree, begun so many milliseconds after the run. */
function node(kind: string, name: string, start: number, rest: object = {}): never {
  const began = new Date(now + start).toISOString()
  const known = {
    spanId: name,
    kind,
    name,
    startedAt: began,
    durationMs: 5,
    status: 'ok',
    attributes: {},
    content: null,
  }
  return { ...known, children: [], ...rest } as never
}

test('the story of a pause has the last steps in their order, and the last words', () => {
  const calls = Array.from({ length: 8 }, (_, index) => node('tool', `tool ${index}`, index * 10))
  const asked = { attributes: { arguments: { order: 'a\u0007b\nc' } }, status: 'error' }
  const words = { attributes: { text: ' I refund it now. ' } }
  const waiting = node('tool', 'refund', 200, { status: 'running' })
  const children = [node('tool', 'last', 100, asked), node('message', 'm', 90, words), waiting, ...calls]
  const story = toPauseStory(node('run', 'r', 0, { children: [node('step', 's', 0, { children })] }))
  assert.deepEqual(
    story.steps.map(({ name }) => name),
    ['tool 3', 'tool 4', 'tool 5', 'tool 6', 'tool 7', 'last'],
  )
  assert.equal(story.earlier, 3)
  assert.equal(story.words, 'I refund it now.')
  assert.deepEqual([story.steps[5]?.hasFailed, story.steps[5]?.preview], [true, '{"order":"a\\u0007b\\nc"}'])
})

test('words of a model are read from its content, and what is no text is none', () => {
  const parts = [{ type: 'text', content: 'Done?' }, { type: 'tool_call', content: 'x' }, null, { type: 'text' }]
  const content = { outputMessages: [{ role: 'assistant', parts }, 5] }
  assert.equal(toPauseStory(node('run', 'r', 0, { children: [node('model', 'm', 1, { content })] })).words, 'Done?')
  assert.deepEqual(toPauseStory(node('run', 'r', 0)), { steps: [], earlier: 0, words: '' })
})
