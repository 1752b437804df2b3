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

/** The responses for the pages of runs. */
export const cannedRuns: CannedResponses = {
  ...cannedShell,
  '/api/runs': { items: Array.from({ length: 50 }, (_, index) => cannedRun(index)), nextCursor: 'older' },
  '/api/runs/stats': cannedStats,
}
