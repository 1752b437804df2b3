import assert from 'node:assert/strict'
import test from 'node:test'
import type { Fail } from '#core/errors/domain-error.ts'
import type { RunSnapshot } from '#plugins/runs/contract/api.ts'
import type { EntryKind } from '#schemas/runs/run.ts'
import { effectiveRedaction } from './effective-redaction.ts'
import type { TracePolicy } from './effective-redaction.ts'
import { redactRun } from './redact-run.ts'

type RunEvent = RunSnapshot['events'][number]
const most = { bytes: 1_000_000, signal: AbortSignal.timeout(600_000) }
const secret = `ghp_${'a1B2'.repeat(9)}`

function eventOf(kind: EntryKind, data: RunEvent['data'], seq = 1): RunEvent {
  return {
    v: 1,
    seq,
    runId: 'r',
    ts: '2026-11-23T00:00:00.000Z',
    kind,
    agent: 'robot',
    path: ['robot'],
    spanId: 's',
    data,
  }
}

function snapshotOf(events: readonly RunEvent[], some: Partial<RunSnapshot['run']> = {}): RunSnapshot {
  const run = {
    id: 'r',
    agent: { namespace: 'default', name: 'robot', revision: 1 },
    conversationId: 'canary',
    rootRunId: 'r',
    parentRunId: null,
    trigger: { kind: 'api', by: 'alice' },
    subject: 'alice',
    decidedBy: 'alice',
    state: 'failed' as const,
    pauseReason: null,
    failReason: 'agent_error' as const,
    interrupts: [],
    decisions: [],
    input: `in canary ${secret} a@b.example`,
    output: null,
    error: { code: 'agent_error', message: 'canary a@b.example' },
    usage: { inputTokens: 1234, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 },
    cost: null,
    treeCost: null,
    unpricedCalls: 0,
    pendingCalls: 0,
    traceId: 'alice',
    createdAt: '2026-11-23T00:00:00.000Z',
    startedAt: null,
    finishedAt: null,
    durationMs: null,
    queueMs: null,
    firstTokenMs: null,
    modelCalls: 1,
    toolCalls: 1,
    childRuns: 0,
    labels: { alice: 'alice' },
    ...some,
  }
  const tree = (shown: readonly RunEvent[]) => ({ children: shown.map(({ data }) => data) }) as never
  return { found: {} as never, agentUid: 'u', run, content: 'hidden', events, truncated: false, tree }
}

const journal = [
  eventOf('run.queued', { trigger: { kind: 'api', by: 'alice' }, conversationId: 'alice', labels: { alice: '1' } }),
  eventOf('message.finished', { messageId: 'm1', role: 'assistant', text: `canary ${secret} a@b.example` }),
  eventOf('tool.started', { toolCallId: 't', name: 'lookup', arguments: { 'a@b.example': 'canary' } }),
  eventOf('tool.finished', {
    toolCallId: 't',
    name: 'a canary sentence',
    result: 42,
    isError: false,
    durationMs: 1234,
  }),
  eventOf('usage.reported', { route: 'default/mock', model: 'm', usage: { inputTokens: 1234, outputTokens: 1 } }),
  eventOf('usage.reported', { error: { code: 'rate_limited', message: 'canary a@b.example', status: 429 } }),
  eventOf('interrupt.requested', { id: 'i', reason: 'approval_required', tool: 'pay', question: 'canary a@b.example' }),
  eventOf('interrupt.resolved', {
    interruptId: 'i',
    decision: 'reject',
    by: 'alice',
    decisionReason: 'alice says',
    reason: 'alice',
  }),
  eventOf('run.rejected', { failReason: 'approval_denied', message: 'alice rejected pay' }),
]

test('S3: a share names no user, label or conversation, and no secret', async () => {
  for (const content of ['full', 'none'] as const) {
    const shown = JSON.stringify(await redactRun(snapshotOf(journal), effectiveRedaction({ content }), most))
    assert.doesNotMatch(shown, /alice|ghp_/)
    assert.equal(/canary/.test(shown), content === 'full')
  }
  const rejected = snapshotOf([], {
    state: 'rejected',
    error: { code: 'approval_denied', message: 'alice rejected pay' },
  })
  const { run } = await redactRun(rejected, effectiveRedaction({}), most)
  assert.deepEqual((run as { error: object }).error, { code: 'approval_denied' })
})

test('S3: without content there are names, ids, states and counts only', async () => {
  const { run, events } = await redactRun(snapshotOf(journal), effectiveRedaction({ content: 'none' }), most)
  assert.deepEqual(
    events.map(({ data }) => data),
    [
      {},
      { messageId: 'm1', role: 'assistant' },
      { toolCallId: 't', name: 'lookup' },
      { toolCallId: 't', isError: false, durationMs: 1234 },
      { route: 'default/mock', model: 'm', usage: { inputTokens: 1234, outputTokens: 1 } },
      { error: { code: 'rate_limited', status: 429 } },
      { id: 'i', reason: 'approval_required', tool: 'pay' },
      { interruptId: 'i', decision: 'reject' },
      { failReason: 'approval_denied' },
    ],
  )
  assert.ok(!('input' in run) && !('output' in run))
})

test('S3: names of the request and of the policy are removed from every text, also of the tree; counts stay', async () => {
  const policy = { capture: 'full', redact: ['email'] }
  const redaction = effectiveRedaction({ redact: ['canary', '[0-9]{2,}'] }, policy)
  const shown = await redactRun(snapshotOf(journal), redaction, most)
  assert.doesNotMatch(JSON.stringify([shown.run, shown.tree, shown.events]), /canary|example/)
  const finished = shown.events[3]?.data
  assert.deepEqual([finished?.['result'], finished?.['durationMs']], ['[redacted]', 1234])
  assert.deepEqual(shown.events[4]?.data['usage'], { inputTokens: 1234, outputTokens: 1 })
})

test('S3: a share shows no more than the trace policy of the agent', () => {
  const of = (policy: TracePolicy, asked = {}) => {
    const { content, reason } = effectiveRedaction(asked, policy)
    return [content, reason]
  }
  assert.deepEqual(of('none'), ['full', null])
  assert.deepEqual(of({ capture: 'full', redact: ['email'] }), ['full', null])
  for (const capture of ['metadata', 'none', undefined])
    assert.deepEqual(of({ ...(capture && { capture }), redact: ['email'] }), ['none', 'trace_policy'])
  assert.deepEqual(of('unreadable'), ['none', 'trace_policy_unreadable'])
  assert.deepEqual(of({ capture: 'full', redact: ['email', '('] }), ['none', 'trace_policy_invalid'])
  assert.deepEqual(of({ capture: 'full' }, { content: 'none' }), ['none', 'request'])
  assert.throws(
    () => effectiveRedaction({ redact: ['email', '('] }, 'unreadable'),
    (error: Fail) => error.code === 'invalid_body' && error.errors[0]?.pointer === '/redaction/redact/1',
  )
})

test('F10: a journal is cut where the share is full, and a client that left ends the work', async () => {
  const many = Array.from({ length: 50 }, (_, n) => eventOf('message.finished', { text: 'x'.repeat(1_000) }, n + 1))
  const shown = await redactRun(snapshotOf(many), effectiveRedaction({}), { ...most, bytes: 20_000 })
  assert.ok(shown.truncated && shown.events.length > 5 && shown.events.length < 10)
  assert.deepEqual(
    shown.events.map(({ seq }) => seq),
    shown.events.map((_, n) => n + 1),
  )
  await assert.rejects(redactRun(snapshotOf(many), effectiveRedaction({}), { ...most, bytes: 100 }), {
    code: 'run_too_large',
  })
  const gone = redactRun(snapshotOf(many), effectiveRedaction({}), { ...most, signal: AbortSignal.abort() })
  await assert.rejects(gone, { name: 'AbortError' })
})
