import assert from 'node:assert/strict'
import test from 'node:test'
import { toRow } from '../testing/run-row.ts'
import { buildTree } from './build-tree.ts'
import type { TreeEntry } from './build-tree.ts'
import type { TreeNode } from '../contract/run-tree.ts'
import { outlineOf } from './tree-outline.ts'

const withheldContent = {
  withheld: true,
  cut: false,
  systemInstructions: null,
  inputMessages: null,
  outputMessages: null,
  arguments: null,
  result: null,
  attributes: {},
}

const start = Date.parse('2026-11-22T10:00:00Z')

/** Entries one second apart. */
function journal(...entries: readonly (readonly [kind: string, spanId: string, data: TreeEntry['data']])[]) {
  return entries.map(([kind, span_id, data], index) => ({
    seq: index + 1,
    ts: new Date(start + index * 1000),
    kind,
    span_id,
    data,
  }))
}

const all = (node: TreeNode): readonly TreeNode[] => [node, ...node.children.flatMap(all)]
const outline = (node: TreeNode): unknown[] => [node.kind, node.name, node.status, node.children.map(outline)]

function isUnique(root: TreeNode): boolean {
  const ids = all(root).map(({ spanId }) => spanId)
  return new Set(ids).size === ids.length && ids.every((id) => id !== '')
}

const about = { tool: 'calculate', id: 'int_1' }
const call = { toolCallId: 'c1', name: 'calculate', parentSpanId: 's1' }
const paused = journal(
  ['run.started', '', {}],
  ['step.started', 's1', { step: 1 }],
  ['message.started', 'm1', { messageId: 'msg_1', parentSpanId: 's1' }],
  ['message.finished', 'm1', { messageId: 'msg_1', text: 'Well.' }],
  ['usage.reported', 'm1', { model: 'mock', durationMs: 500, usage: { inputTokens: 3 }, parentSpanId: 's1' }],
  ['interrupt.requested', 'run', { ...about, reason: 'approval_required' }],
)
const resumed = journal(
  ['interrupt.resolved', '', { interruptId: 'int_1', decision: 'approve', by: 'alice' }],
  ['run.resumed', '', {}],
  ['tool.started', 't1', call],
  ['tool.finished', 't1', { ...call, isError: true }],
  ['step.finished', 's1', { step: 1 }],
  ['step.started', 's2', { step: 2 }],
  ['usage.reported', 'm2', { model: 'mock', usage: {}, parentSpanId: 's2' }],
).map((entry) => ({ ...entry, seq: entry.seq + paused.length, ts: new Date(entry.ts.getTime() + 10_000) }))

test('UXM9: a step has its messages, model calls, tools and questions; a paused run is paused', () => {
  const root = buildTree(toRow({ state: 'paused' }), paused)
  assert.deepEqual(outline(root), [
    'run',
    'robot',
    'paused',
    [
      [
        'step',
        'step 1',
        'paused',
        [
          ['message', 'message', 'ok', []],
          ['model', 'mock', 'ok', []],
          ['interrupt', 'calculate', 'paused', []],
        ],
      ],
    ],
  ])
  const model = all(root).find(({ kind }) => kind === 'model')
  assert.deepEqual(model?.attributes['usage'], { inputTokens: 3 })
  assert.equal(model.spanId, 'm1', 'the span of the trace is that of the call, not of its message')
  assert.deepEqual([model.durationMs, model.startedAt], [500, '2026-11-22T10:00:03.500Z'])
  assert.ok(isUnique(root))
})

test('UX-8: nodes have their usage, cost, error and child run; contents belong to calls', () => {
  const failed = { code: 'model_error', message: 'no', status: 502 }
  const cost = { amount: '0.25', currency: 'USD' }
  const entries = journal(
    ['step.started', 's1', { step: 1 }],
    ['usage.reported', 'm1', { usage: { inputTokens: 3, outputTokens: -1 }, cost, parentSpanId: 's1' }],
    ['usage.reported', 'm2', { usage: 'odd', cost: 7, error: failed, parentSpanId: 's1' }],
    ['tool.started', 't1', call],
    ['tool.finished', 't1', { ...call, isError: true, result: { error: 'timed out' } }],
    ['delegate.started', 'd1', { agent: 'back' }],
    ['delegate.finished', 'd1', { agent: 'back', childRunId: 'run-2', state: 'failed', code: 'unknown_target' }],
    ['delegate.started', 'd2', { agent: 'back', runId: 'run-3' }],
    ['message.started', 'm1', { messageId: 'msg_1' }],
  )
  const root = buildTree(toRow({ state: 'failed', fail_reason: 'tool_error' }), entries, {
    contentOf: (spanId) => (spanId === 'd2' || spanId === 'm1' ? withheldContent : null),
  })
  const typed = ({ kind, usage: used, cost: paid, error, runId, content }: TreeNode) => [
    kind,
    used,
    paid,
    error,
    runId,
    content,
  ]
  const usage = { inputTokens: 3, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }
  const [first, ...nodes] = all(root)
  assert.deepEqual(nodes.map(typed), [
    ['step', null, null, null, null, null],
    ['model', usage, cost, null, null, withheldContent],
    ['model', null, null, { code: 'model_error', message: 'no' }, null, null],
    ['tool', null, null, { code: 'tool_error', message: 'timed out' }, null, null],
    ['delegate', null, null, { code: 'unknown_target', message: '' }, 'run-2', null],
    ['delegate', null, null, null, 'run-3', withheldContent],
    ['message', null, null, null, null, null],
  ])
  assert.deepEqual([first?.error, first?.runId], [{ code: 'tool_error', message: 'tool_error' }, toRow({}).id])
  const failing = nodes.flatMap(({ status, spanId }) => (status === 'error' ? [spanId] : []))
  assert.deepEqual(outlineOf(root), { spanCount: 8, errorSpanIds: failing })
})

test('UXM9: after a resume the tool is below the step that asked for it; a failed run leaves nothing running', () => {
  const root = buildTree(toRow({ state: 'failed', finished_at: new Date(start + 60_000) }), [...paused, ...resumed])
  assert.deepEqual(
    root.children.map((step) => [step.spanId, step.status, step.children.map(({ kind }) => kind)]),
    [
      ['s1', 'ok', ['message', 'model', 'interrupt', 'tool']],
      ['s2', 'error', ['model']],
    ],
  )
  const question = all(root).find(({ kind }) => kind === 'interrupt')
  assert.deepEqual([question?.attributes['decision'], question?.attributes['by']], ['approve', 'alice'])
  assert.equal(all(root).find(({ kind }) => kind === 'tool')?.status, 'error')
  assert.equal(root.children[0]?.durationMs, 13_000)
  assert.ok(isUnique(root))
})

test('UXM9: entries of an agent that all have the span of the run have ids of their own', () => {
  const root = buildTree(
    toRow({ state: 'succeeded' }),
    journal(
      ['step.started', 'run', { name: 'plan' }],
      ['message.started', 'run', { messageId: 'a' }],
      ['tool.started', 'run', { name: 'search' }],
      ['tool.finished', 'run', {}],
      ['message.finished', 'run', { messageId: 'a' }],
      ['step.finished', 'run', {}],
      ['step.started', 'run', { name: 'act' }],
      ['usage.reported', 'run', { usage: { inputTokens: 1 } }],
      ['delegate.started', 'run', { agent: { name: 'helper' }, runId: 'child' }],
      ['delegate.finished', 'run', { agent: { name: 'helper' }, runId: 'child', state: 'failed' }],
      ['tool.finished', 'run', { toolCallId: 'never started' }],
    ),
  )
  assert.deepEqual(outline(root), [
    'run',
    'robot',
    'ok',
    [
      [
        'step',
        'plan',
        'ok',
        [
          ['message', 'message', 'ok', []],
          ['tool', 'search', 'ok', []],
        ],
      ],
      [
        'step',
        'act',
        'ok',
        [
          ['model', 'model call', 'ok', []],
          ['delegate', 'helper', 'error', []],
        ],
      ],
    ],
  ])
  assert.ok(isUnique(root))
})

test('a model call that failed or was refused is a node of status error, named by its route', () => {
  const error = { code: 'budget_exceeded', message: 'no', status: 402, provider: 'team/llm' }
  const root = buildTree(
    toRow({ state: 'failed' }),
    journal(
      ['step.started', 's1', { step: 1 }],
      ['usage.reported', 'm1', { route: 'team/a', durationMs: 250, usage: {}, error, parentSpanId: 's1' }],
    ),
  )
  const [model] = root.children[0]?.children ?? []
  assert.deepEqual([model?.kind, model?.name, model?.status, model?.durationMs], ['model', 'team/a', 'error', 250])
  assert.deepEqual(model?.attributes['error'], error)
})

test('a part of a long journal: a node that ends later is running, an end without its start is a node', () => {
  const run = toRow({ state: 'succeeded', finished_at: new Date(start + 60_000) })
  const entries = [...paused, ...resumed]
  const whole = buildTree(run, entries)
  assert.ok(all(whole).every(({ status }) => status !== 'running'))
  const first = buildTree(run, entries.slice(0, 3), { isTruncated: true })
  assert.deepEqual(outline(first).at(-1), [['step', 'step 1', 'running', [['message', 'message', 'running', []]]]])
  const rest = buildTree(run, entries.slice(3), { isContinued: true })
  assert.deepEqual(
    rest.children.map(({ kind, status }) => [kind, status]),
    [
      ['message', 'ok'],
      ['model', 'ok'],
      ['interrupt', 'ok'],
      ['tool', 'error'],
      ['step', 'ok'],
      ['step', 'ok'],
    ],
  )
  assert.ok(isUnique(rest))
  const forged = buildTree(run, journal(['usage.reported', 'm', { durationMs: 1e300 }]))
  assert.equal(forged.children[0]?.durationMs, null)
})

test('a guardrail decision is below its step, and leaves its span to the model call', () => {
  const decided = { policy: 'default/pii', rule: 'no-cards', check: 'pii', stage: 'request', count: 2 }
  const root = buildTree(
    toRow({ state: 'succeeded' }),
    journal(
      ['step.started', 's1', { step: 1 }],
      ['guardrail.decided', 'm1', { ...decided, action: 'mask' }],
      ['guardrail.decided', 'm1', { ...decided, rule: 'no-secrets', action: 'block' }],
      ['usage.reported', 'm1', { model: 'mock', usage: {}, parentSpanId: 's1' }],
      ['step.finished', 's1', { step: 1 }],
    ),
  )
  const [step] = root.children
  assert.deepEqual(step?.children.map(outline), [
    ['guardrail', 'no-cards', 'ok', []],
    ['guardrail', 'no-secrets', 'error', []],
    ['model', 'mock', 'ok', []],
  ])
  assert.deepEqual(step?.children[0]?.attributes, { ...decided, action: 'mask' })
  assert.equal(step?.children[2]?.spanId, 'm1')
  assert.ok(isUnique(root))
})
