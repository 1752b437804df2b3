import { exampleTree } from '../../ui/parts/trace/example-tree.states.ts'
import type { TreeSpan } from '../../ui/parts/trace/flat-tree.ts'
import type { CannedResponses } from './fake-console.ts'
import { cannedShell } from './fake-console.ts'

/** Words that a page must show as they are: markup, a link, another direction, an emoji, control characters, a lone surrogate. */
export const hostileWords =
  '<script>document.title="x"</script> ![a](http://127.0.0.1:9/a.png) שלום 🚀 \u0000\u0007\u202e\ud800 javascript:alert(1)'

const states = ['running', 'paused', 'succeeded', 'failed', 'queued', 'timed_out', 'cancelled', 'rejected', 'succeeded']
const began = Date.UTC(2026, 10, 24, 14)

/** Id of a run of the canned list. */
export function cannedRunId(index: number): string {
  return `0193c5e1-77aa-7000-8000-${String(index).padStart(12, '0')}`
}

/** A run of a list. Each tenth one has hostile words in place of its names. */
export function cannedRun(index: number): Readonly<Record<string, unknown>> {
  const state = states[index % states.length] ?? 'succeeded'
  const isHostile = index % 10 === 3
  return {
    id: cannedRunId(index),
    agent: { namespace: 'support', name: isHostile ? hostileWords : `agent-${index % 4}`, revision: index % 5 },
    conversationId: `conversation-${index}`,
    rootRunId: cannedRunId(index),
    parentRunId: null,
    trigger: { kind: 'api', by: 'ada@example.com' },
    subject: isHostile ? hostileWords : 'system:serviceaccount:support:bot',
    state,
    pauseReason: state === 'paused' ? 'approval_required' : null,
    failReason: state === 'failed' ? 'tool_error' : null,
    interrupts: [],
    error: state === 'failed' ? { code: 'tool_error', message: isHostile ? hostileWords : 'upstream failed' } : null,
    inputPreview: isHostile
      ? hostileWords
      : index % 7 === 0
        ? null
        : 'Order 48213 arrived damaged, customer asks for a refund',
    usage: { inputTokens: 3000 * index, outputTokens: 300, cachedTokens: 0, reasoningTokens: 0 },
    cost: index % 6 === 0 ? null : { amount: '0.0123', currency: 'USD' },
    treeCost: index % 6 === 0 ? null : { amount: '0.0123', currency: 'USD' },
    unpricedCalls: 0,
    pendingCalls: 0,
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    createdAt: new Date(began - index * 60_000).toISOString(),
    startedAt: new Date(began - index * 60_000).toISOString(),
    finishedAt: null,
    durationMs: state === 'running' ? null : 1234 * index,
    firstTokenMs: 210,
    modelCalls: 2,
    toolCalls: 1,
    childRuns: 0,
    queueMs: 12,
    labels: {},
  }
}

const sums = { durationMs: {}, queueMs: {}, firstTokenMs: {}, usage: {}, cost: [] }

/** Statistics of a day in half hours. */
export const cannedStats = {
  from: '2026-11-23T14:00:00.000Z',
  to: '2026-11-24T14:00:00.000Z',
  count: 480,
  succeeded: 400,
  failed: 40,
  paused: 8,
  ...sums,
  interval: '30m',
  bins: Array.from({ length: 48 }, (_, index) => ({
    from: new Date(began - (48 - index) * 1_800_000).toISOString(),
    count: index,
    succeeded: index - (index % 3),
    failed: index % 3,
    paused: 0,
  })),
  groups: [
    { key: 'a', agent: { namespace: 'support', name: 'agent-0' }, count: 4, bins: [] },
    { key: null, count: 1, bins: [] },
  ],
  other: null,
}

type CannedNode = Readonly<Record<string, unknown>> & { readonly children: readonly CannedNode[] }

function toCannedNode(node: TreeSpan): CannedNode {
  const isModel = node.kind === 'model'
  const isFailed = node.status === 'error' && node.kind !== 'step'
  return {
    ...node,
    attributes: isModel ? { model: node.name, route: 'demo/claude' } : attributesOf(node),
    usage: isModel ? { inputTokens: 812, outputTokens: 96, cachedTokens: 0, reasoningTokens: 0 } : null,
    error: isFailed ? { code: 'tool_error', message: 'upstream answered 503 after 2 retries' } : null,
    runId: node.kind === 'delegate' ? cannedRunId(2) : null,
    content: null,
    children: node.children.map(toCannedNode),
  }
}

function attributesOf({ kind, name, status }: TreeSpan): object {
  if (kind === 'step' || kind === 'run') return {}
  const result = status === 'error' ? { error: { code: 'upstream_failure', status: 503 } } : { entries: 2 }
  return { toolCallId: 'call_1', arguments: { account: '4210', include: ['memo', hostileWords], of: name }, result }
}

/** The tree of a run with about so many spans. */
export function cannedTree(
  size: number,
  end: 'ended' | 'failed' | 'live' = 'ended',
): Readonly<Record<string, unknown>> {
  const root = toCannedNode(exampleTree(size, end))
  const message = {
    spanId: 'message-1',
    kind: 'message',
    name: 'message',
    startedAt: root['startedAt'],
    durationMs: 12,
    status: 'ok',
    attributes: { role: 'assistant', messageId: 'message-1', text: `**Found** two entries. ${hostileWords}` },
    children: [],
  }
  return {
    root: { ...root, runId: cannedRunId(3), children: [message, ...root.children] },
    truncated: false,
    nextAfter: null,
    spanCount: size,
    errorSpanIds: [],
  }
}

/** A run with its input and output. */
export function cannedDetail(index: number, more: object = {}): Readonly<Record<string, unknown>> {
  return { ...cannedRun(index), decisions: [], input: 'Refund order 48213.', output: null, ...more }
}

const failure = { code: 'tool_error', message: 'ledger.search: upstream answered 503 after 2 retries' }
const approval = {
  id: 'tap_1',
  reason: 'approval_required',
  tool: 'payments.refund',
  arguments: { order: '48213', amount: '12.00', note: hostileWords },
  hints: { readOnly: false, destructive: true },
  policy: { kind: 'McpToolBinding', name: 'support/payments' },
}

function detailOf(index: number, run: object, tree: object): CannedResponses {
  const path = `/api/runs/${cannedRunId(index)}`
  return { [path]: cannedDetail(index, run), [`${path}/tree`]: tree }
}

const share = {
  id: 'share-1',
  runId: cannedRunId(3),
  namespace: 'support',
  agent: hostileWords,
  createdBy: 'ada@example.com',
  createdAt: '2026-11-24T12:00:00.000Z',
  expiresAt: '2026-12-24T12:00:00.000Z',
  views: 2,
  maxViews: 10,
  redaction: { content: 'full', reason: null },
}

/** The response for a shared run that failed. */
export const cannedShare = {
  run: { ...cannedDetail(13), agent: { namespace: 'support', name: 'invoice-matcher', revision: 8 } },
  tree: { root: cannedTree(40, 'failed')['root'] },
  sharedAt: '2026-11-24T12:00:00.000Z',
  expiresAt: '2026-12-24T12:00:00.000Z',
  redaction: { content: 'none', reason: 'trace_policy' },
  truncated: true,
  events: [
    { v: 1, seq: 1, ts: '2026-11-24T12:00:00.000Z', kind: 'run.queued', agent: 'a', path: [], spanId: '', data: {} },
  ],
}

const step = (name: string, status = 'ok') => ({ spanId: name, kind: 'tool', name, depth: 1, status, durationMs: 12 })
const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', run: null, costs: null, link: 'javascript:alert(1)' }
const sentSpan = {
  spanId: '00f067aa0ba902b7',
  parentSpanId: null,
  agent: { namespace: 'support', name: 'triage' },
  name: hostileWords,
  kind: 'server',
  startedAt: '2026-11-24T12:00:00.000Z',
  durationMs: 840,
  status: 'error',
  statusMessage: hostileWords,
  attributes: { 'gen_ai.operation.name': 'execute_tool' },
  events: [{ name: 'exception', at: '2026-11-24T12:00:00.000Z', attributes: {} }],
  links: [],
  content: null,
  dropped: 0,
  children: [],
}

/** The responses for the pages of runs. Run 3 failed, run 1 is paused, run 2 is long, run 4 has hostile words. */
export const cannedRuns: CannedResponses = {
  ...cannedShell,
  '/api/runs': { items: Array.from({ length: 50 }, (_, index) => cannedRun(index)), nextCursor: 'older' },
  '/api/runs/stats': cannedStats,
  '/api/runs/compare': {
    a: cannedRun(3),
    b: cannedRun(2),
    steps: [
      { a: step('orders.lookup'), b: step('orders.lookup'), differs: [] },
      { a: step(hostileWords, 'error'), b: step(hostileWords), differs: ['status', 'result'] },
      { a: null, b: step('payments.refund'), differs: [] },
    ],
    firstDifference: 1,
    truncated: true,
  },
  '/api/my/shares': { items: [share, { ...share, id: 'share-2', maxViews: null, agent: null }], nextCursor: null },
  '/api/shared/runs/mesh_share_invented': cannedShare,
  '/api/traces': {
    items: [
      { ...trace, ...sentSpan, namespace: 'support', agent: 'triage', service: null, spans: 4, errors: 1, runId: null },
    ],
    nextCursor: null,
  },
  [`/api/traces/${trace.traceId}`]: { ...trace, spans: 1, agents: [] },
  [`/api/traces/${trace.traceId}/detail`]: {
    ...trace,
    spans: 2,
    truncated: true,
    roots: [sentSpan, { ...sentSpan, spanId: 'b' }],
  },
  ...detailOf(
    3,
    { agent: { namespace: 'support', name: 'invoice-matcher', revision: 8 }, error: failure, state: 'failed' },
    cannedTree(1000, 'failed'),
  ),
  ...detailOf(1, { interrupts: [approval] }, cannedTree(12, 'live')),
  ...detailOf(2, { durationMs: 3_000_000 }, cannedTree(10_000)),
  ...detailOf(
    13,
    { state: 'failed', error: { code: hostileWords, message: hostileWords }, input: hostileWords.repeat(9000) },
    cannedTree(20, 'failed'),
  ),
}
