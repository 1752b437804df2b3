import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { waitOf } from '#ui/api/retry-wait.ts'
import { addEvents, emptyLog, readEvent } from '../../plugins/runs/console/run/event-log.ts'
import { loadTree } from '../../plugins/runs/console/run/load-tree.ts'
import type { LoadedPart } from '../../plugins/runs/console/run/load-tree.ts'
import { mergeTrees } from '../../plugins/runs/console/run/merge-trees.ts'
import { readShareForm } from '../../plugins/runs/console/run/share-form.ts'
import { toTraceTree } from '../../plugins/traces/console/trace/to-node.ts'
import type { SentSpan } from '../../plugins/traces/console/trace/to-node.ts'
import { messagesOf, modelMessages } from '../../ui/parts/run/shown-messages.ts'
import { toStepDetail } from '../../ui/parts/run/run-node.ts'
import type { RunNode } from '../../ui/parts/run/run-node.ts'
import { holdRows } from '../../plugins/runs/console/list/held-rows.ts'
import { rangeOf, setFilters, toRunListQuery, withoutFilters } from '../../plugins/runs/console/list/run-search.ts'

test('rows that are read stay in their place, as they are now; newer ones wait', () => {
  const row = (id: string, state = 'running') => ({ id, state })
  const held = [row('b'), row('a')]
  assert.deepEqual(holdRows(held, [row('d'), row('c'), row('b', 'failed')]), {
    rows: [row('b', 'failed'), row('a')],
    waiting: 2,
  })
  assert.deepEqual(holdRows(held, []), { rows: held, waiting: 0 })
})

test('the address is the query of the list; a range that is none is the default', () => {
  const now = Date.UTC(2026, 10, 24)
  assert.deepEqual(rangeOf({}), { from: '24h' })
  assert.deepEqual(rangeOf({ from: '<script>' }), { from: '24h' })
  assert.deepEqual(rangeOf({ from: '2026-11-24T00:00:00Z', to: '2026-11-01T00:00:00Z' }), { from: '24h' })
  const query = toRunListQuery({ from: '6h', agent: 'triage', state: 'failed', other: 'x', cursor: 'c' }, now)
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
  assert.deepEqual(given, { scope: 'permitted', agent: 'triage', state: 'failed', from: '2026-11-23T18:00:00.000Z' })
  const inNamespace = toRunListQuery({ namespace: 'support' }, now)
  assert.deepEqual([inNamespace['namespace'], inNamespace['scope']], ['support', undefined])
  assert.deepEqual(setFilters({ q: 'x', from: '6h', parent: 'y' }), ['parent', 'q'])
  assert.ok(Object.values(withoutFilters()).every((value) => value === undefined))
})

test('a lost stream is opened again after a growing wait, or when the server asks to', () => {
  assert.equal(
    waitOf(undefined, 0, () => 1),
    500,
  )
  assert.equal(
    waitOf(undefined, 3, () => 0),
    2000,
  )
  assert.equal(
    waitOf(new Error('gone'), 1e9, () => 1),
    15_000,
  )
  const busy = new ApiProblem({ status: 429, title: 'Busy', detail: 'Wait.', retryAfter: 20 })
  assert.equal(
    waitOf(busy, 0, () => 1),
    20_000,
  )
})

const began = Date.UTC(2026, 10, 24)

function node(id: string, kind: RunNode['kind'], start: number, more: Partial<RunNode> = {}): RunNode {
  const startedAt = new Date(began + start).toISOString()
  const status = more.durationMs === null ? 'running' : 'ok'
  return { spanId: id, kind, name: id, startedAt, durationMs: 10, status, attributes: {}, children: [], ...more }
}

test('a later part of a tree ends what was open, and stands below the step that went on', () => {
  const open = { durationMs: null }
  const tool = node('tool', 'tool', 20, { ...open, attributes: { arguments: 1 } })
  const base = node('run', 'run', 0, { ...open, children: [node('step', 'step', 10, { ...open, children: [tool] })] })
  const ended = node('tool', 'tool', 70, { durationMs: 0, attributes: { result: 2 } })
  const later = [
    ended,
    node('model', 'model', 80),
    node('step', 'step', 100, { durationMs: 0 }),
    node('next', 'step', 120),
  ]
  const merged = mergeTrees(base, node('run', 'run', 0, { durationMs: 200, children: later }))
  const [step, next] = merged.children
  assert.deepEqual([merged.durationMs, step?.spanId, step?.durationMs, next?.spanId], [200, 'step', 90, 'next'])
  assert.deepEqual(
    step?.children.map(({ spanId, durationMs }) => [spanId, durationMs]),
    [
      ['tool', 50],
      ['model', 10],
    ],
  )
  assert.deepEqual(step?.children[0]?.attributes, { arguments: 1, result: 2 })
  assert.equal(tool.durationMs, null, 'the parts stay as they are')
})

test('a truncated tree is read until it has the failure, the span of the address, or ten parts', async () => {
  const asked: (number | undefined)[] = []
  const read = async (after: number | undefined): Promise<LoadedPart> => {
    asked.push(after)
    const part = (after ?? 0) + 1
    const root = node('run', 'run', 0, { children: [node(`span-${part}`, 'tool', part)] })
    return { root, truncated: true, nextAfter: part, spanCount: 99, errorSpanIds: ['span-3'] } as unknown as LoadedPart
  }
  const tree = await loadTree(read, { parts: 1, spanId: undefined })
  assert.deepEqual(
    [tree.root.children.map(({ spanId }) => spanId), tree.nextAfter],
    [['span-1', 'span-2', 'span-3'], 3],
  )
  assert.equal((await loadTree(read, { parts: 4, spanId: undefined })).nextAfter, 4)
  assert.equal((await loadTree(read, { parts: 1, spanId: 'span-1' })).nextAfter, 1)
  asked.length = 0
  await loadTree(read, { parts: 1, spanId: 'never' })
  assert.equal(asked.length, 10)
})

test('events of a stream become a journal: without those that come again, with texts as far as they are written', () => {
  const event = (seq: number | undefined, kind: string, data: object = {}) =>
    readEvent({ data: JSON.stringify({ seq, kind, ts: 't', data }) }) ?? assert.fail()
  const first = addEvents(emptyLog, [
    event(1, 'run.queued'),
    event(2, 'run.started'),
    event(undefined, 'message.delta', { messageId: 'm', text: 'Hel', offset: 0 }),
    event(undefined, 'run.progress', { message: 'Reads' }),
  ])
  assert.deepEqual([first.events.length, first.texts.get('m'), first.progress], [2, 'Hel', 'Reads'])
  const again = addEvents(first, [
    event(2, 'run.started'),
    event(undefined, 'message.delta', { messageId: 'm', text: 'llo', offset: 2 }),
    event(3, 'step.started'),
  ])
  assert.deepEqual([again.events.map(({ seq }) => seq), again.texts.get('m')], [[1, 2, 3], 'Hello'])
  const ended = addEvents(again, [event(4, 'message.finished', { messageId: 'm', text: 'Hello' })])
  assert.equal(ended.texts.size, 0)
  for (const data of ['', '{', 'null', '7', '{"kind":1}']) assert.equal(readEvent({ data }), undefined)
  assert.deepEqual(readEvent({ data: '{"kind":"x","data":"y"}' })?.data, {})
})

test('messages of a run: its input, what agents said and called, its output once', () => {
  const said = node('said', 'message', 1, { attributes: { role: 'assistant', text: 'Done.' } })
  const written = node('written', 'message', 2, { durationMs: null })
  const call = node('call', 'tool', 3)
  const root = node('run', 'run', 0, { children: [node('step', 'step', 0, { children: [said, call] }), written] })
  const shown = messagesOf(root, { input: { a: 1 }, output: 'Done.' }, new Map([['written', 'Hel']]))
  assert.deepEqual(
    shown.map((one) => (one.kind === 'call' ? one.id : `${one.role}: ${one.words}`)),
    ['user: {\n  "a": 1\n}', 'assistant: Done.', 'call', 'assistant: Hel'],
  )
  assert.equal(messagesOf(root, { output: 'Other' }).length, 4)
  const parts = [
    {
      role: 'user',
      parts: [
        { type: 'text', content: 'Hi' },
        { type: 'tool_call', name: 'x' },
      ],
    },
    null,
    'odd',
  ]
  assert.deepEqual(
    modelMessages(parts, 'in').map((one) => (one.kind === 'words' ? [one.role, one.words.slice(0, 4)] : [])),
    [
      ['user', 'Hi'],
      ['user', '{\n  '],
      ['assistant', 'null'],
      ['assistant', 'odd'],
    ],
  )
})

test('the inspector shows arguments and result apart from attributes, and says what it may not show', () => {
  const content = { withheld: true, cut: true } as unknown as NonNullable<RunNode['content']>
  const attributes = { arguments: { a: 1 }, result: null, route: 'r' }
  const tool = node('tool', 'tool', 0, { attributes, content, error: { code: 'tool_error', message: 'away' } })
  const { input, output, error, isWithheld, isCut, ...rest } = toStepDetail(tool, { input: 'of the run' })
  assert.deepEqual(
    [input, output, error, isWithheld, isCut],
    [{ a: 1 }, undefined, { title: 'tool_error', detail: 'away' }, true, true],
  )
  assert.deepEqual(rest.attributes, { route: 'r' })
  assert.equal(toStepDetail(node('run', 'run', 0), { input: 'of the run' }).input, 'of the run')
})

test('the form of a share is its request; a number of views that is none is refused', () => {
  const form = (fields: Readonly<Record<string, string>>): FormData => {
    const data = new FormData()
    for (const [name, value] of Object.entries(fields)) data.append(name, value)
    return data
  }
  assert.deepEqual(readShareForm(form({ expiresIn: '1h', content: 'none', redact: 'email', maxViews: ' 12 ' })), {
    expiresIn: '1h',
    maxViews: 12,
    redaction: { content: 'none', redact: ['email'] },
  })
  assert.deepEqual(readShareForm(form({})), { expiresIn: '168h', redaction: { content: 'full' } })
  for (const maxViews of ['0', '-1', '1.5', '1e3', '9999999', 'x', '\u0000'])
    assert.equal(readShareForm(form({ maxViews })), undefined, maxViews)
})

test('the roots of a trace become one tree, from the first start to the last end', () => {
  const span = (spanId: string, start: number, more: Partial<SentSpan> = {}): SentSpan => ({
    spanId,
    name: spanId,
    startedAt: new Date(began + start).toISOString(),
    durationMs: 100,
    status: 'unset',
    statusMessage: null,
    attributes: {},
    events: [],
    content: null,
    children: [],
    ...more,
  })
  assert.equal(toTraceTree([], 't'), undefined)
  const child = span('child', 5, {
    attributes: { 'gen_ai.operation.name': 'chat' },
    status: 'error',
    statusMessage: 'away',
  })
  const one = toTraceTree([span('root', 0, { children: [child] })], 't')
  assert.deepEqual([one?.spanId, one?.kind, one?.children[0]?.kind], ['root', 'span', 'model'])
  assert.deepEqual(one?.children[0]?.error, { code: 'error', message: 'away' })
  const many = toTraceTree(
    [span('b', 50), span('a', 20, { attributes: { 'gen_ai.operation.name': 'constructor' } })],
    't',
  )
  assert.deepEqual([many?.spanId, many?.kind, many?.durationMs], ['t', 'run', 130])
  assert.deepEqual(
    many?.children.map(({ spanId, kind }) => [spanId, kind]),
    [
      ['b', 'span'],
      ['a', 'span'],
    ],
  )
})
