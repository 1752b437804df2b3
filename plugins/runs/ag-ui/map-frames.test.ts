import assert from 'node:assert/strict'
import test from 'node:test'
import { HttpAgent } from '@ag-ui/client'
import fc from 'fast-check'
import { entryKinds, pauseReasons } from '#schemas/runs/run.ts'
import type { LiveFrame } from '../contract/live-frame.ts'
import type { AgUiEvent } from './event.ts'
import { createFrameMapper, endsRun } from './map-frames.ts'

const runId = '019a0000-0000-7000-8000-000000000000'

function frameOf(kind: string, data: LiveFrame['data'] = {}, spanId = 's'): LiveFrame {
  return { v: 1, seq: 1, runId, ts: '2026-01-01T00:00:00.000Z', kind, agent: 'robot', path: [], spanId, data }
}

function eventsOf(frames: readonly LiveFrame[], isCurrent = true): readonly AgUiEvent[] {
  const mapper = createFrameMapper({ threadId: 'thread', runId: 'run', id: runId, isCurrent })
  const end = frames.findIndex(endsRun)
  return [mapper.start(), ...(end < 0 ? frames : frames.slice(0, end + 1)).flatMap(mapper.map)]
}

/** What the SDK makes of a stream of these events: its errors, and the messages of the conversation. */
async function read(events: readonly AgUiEvent[]) {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const agent = new HttpAgent({ url: 'http://localhost/', threadId: 'thread', fetch })
  const errors: string[] = []
  const codes: unknown[] = []
  await agent
    .runAgent(
      {},
      {
        onRunFailed: ({ error }) => void errors.push(error.message),
        onRunErrorEvent: ({ event }) => void codes.push(event.code),
      },
    )
    .catch((error: unknown) => errors.push(String(error)))
  return { errors, codes, messages: agent.messages, interrupts: agent.pendingInterrupts }
}

test('AG-UI: text, steps, tools and usage become the events of the protocol, and the SDK has the messages', async () => {
  const usage = { inputTokens: 3, outputTokens: 4, cachedTokens: 1, reasoningTokens: 0 }
  const events = eventsOf([
    frameOf('run.queued'),
    frameOf('run.started'),
    frameOf('step.started', { step: 1 }),
    frameOf('message.started', { messageId: 'm', role: 'assistant' }),
    frameOf('message.delta', { messageId: 'm', offset: 0, text: 'Hel' }),
    frameOf('message.snapshot', { messageId: 'm', offset: 4, text: 'Hell' }),
    frameOf('message.finished', { messageId: 'm', text: 'Hello.' }),
    frameOf('usage.reported', { usage, model: 'mock-1' }),
    frameOf('usage.reported', { usage, model: 'mock-1' }),
    frameOf('tool.started', { toolCallId: 'c', name: 'add', arguments: { a: 1 } }),
    frameOf('tool.finished', { toolCallId: 'c', result: { sum: 1 } }),
    frameOf('guardrail.decided', { action: 'mask' }),
    frameOf('step.finished', { step: 1 }),
    frameOf('run.succeeded', { output: 'Hello.' }),
  ])
  assert.deepEqual(
    events.map(({ type }) => type),
    [
      'RUN_STARTED',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'TOOL_CALL_RESULT',
      'CUSTOM',
      'STEP_FINISHED',
      'RUN_FINISHED',
    ],
  )
  assert.deepEqual(
    events.filter(({ delta }) => delta !== undefined).map(({ delta }) => delta),
    ['Hel', 'l', 'o.', '{"a":1}'],
  )
  const { type, timestamp, ...finished } = events.at(-1) ?? { type: 'CUSTOM' }
  assert.deepEqual([type, timestamp], ['RUN_FINISHED', Date.parse('2026-01-01')])
  assert.deepEqual(finished, {
    threadId: 'thread',
    runId: 'run',
    result: 'Hello.',
    outcome: { type: 'success' },
    usage: [{ model: 'mock-1', inputTokens: 6, outputTokens: 8, cachedInputTokens: 2, reasoningTokens: 0 }],
  })
  const { errors, messages } = await read(events)
  assert.deepEqual(errors, [])
  assert.deepEqual(
    messages.map(({ role, content }) => [role, content]),
    [
      ['assistant', 'Hello.'],
      ['assistant', undefined],
      ['tool', '{"sum":1}'],
    ],
  )
})

test('AG-UI: a pause ends the run with its interrupts, and an approved call is not announced again', async () => {
  const mapper = createFrameMapper({ threadId: 'thread', runId: 'run', id: runId, isCurrent: true })
  const call = { tool: 'pay', toolCallId: 'c', arguments: { amount: 5 } }
  const schema = { type: 'object', properties: { amount: { type: 'number' } } }
  const consent = { namespace: 'demo', server: 'tickets', path: '/consent/demo/tickets?run=r' }
  const interrupts = [
    { id: 'a/b', reason: 'approval_required', ...call, schema },
    { id: 'q', reason: 'input_required', question: 'Which?' },
    { id: 'h', reason: 'budget_hold' },
    { id: 'c', reason: 'auth_required', consent },
    { id: 7, reason: 'approval_required' },
  ]
  const step = mapper.map(frameOf('step.started', { step: 1 }))
  const paused = mapper.map(frameOf('run.paused', { interrupts }))
  const first = await read([mapper.start(), ...step, ...paused])
  assert.deepEqual(first.errors, [])
  assert.deepEqual(
    first.interrupts.map(({ id, reason, toolCallId, message }) => [id, reason, toolCallId, message]),
    [
      [`${runId}/a/b`, 'tool_call', 'c', 'May the agent call pay?'],
      [`${runId}/q`, 'input_required', undefined, 'Which?'],
      [`${runId}/h`, 'mesh:budget_hold', undefined, 'The budget of the agent is used up.'],
      [`${runId}/c`, 'mesh:auth_required', undefined, 'The agent needs a grant.'],
    ],
  )
  // Where the client sends the person to.
  assert.deepEqual(first.interrupts[3]?.metadata, {
    mesh: { runId, interruptId: 'c', reason: 'auth_required', consent },
  })
  assert.deepEqual(first.interrupts[0]?.responseSchema?.['properties'].editedArgs, schema)
  const rest = [
    frameOf('run.resumed'),
    frameOf('tool.started', { toolCallId: 'c', name: 'pay' }),
    frameOf('tool.finished', { toolCallId: 'c', result: 'paid' }),
    frameOf('step.finished', { step: 1 }),
    frameOf('run.succeeded', { output: 'Done.' }),
  ].flatMap(mapper.map)
  assert.deepEqual(
    rest.map(({ type }) => type),
    [
      'RUN_STARTED',
      'TOOL_CALL_RESULT',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ],
  )
  assert.deepEqual((await read(rest)).errors, [])
})

test('AG-UI: ends of a run other than success', async () => {
  const codeOf = (events: readonly AgUiEvent[]): unknown => events.at(-1)?.['code'] ?? events.at(-1)?.['outcome']
  const failed = frameOf('run.failed', { failReason: 'model_error', message: 'The model is away.' })
  for (const [frame, expected] of [
    [failed, 'model_error'],
    [frameOf('run.timed_out'), 'timed_out'],
    [frameOf('run.rejected', { failReason: 'approval_denied' }), 'approval_denied'],
    [frameOf('run.cancelled'), { type: 'cancelled' }],
  ] as const) {
    // With a message and a delegation that are still open.
    const open = [frameOf('message.started', { messageId: 'm' }), frameOf('delegate.started', { agent: 'other' })]
    const events = eventsOf([...open, frame])
    assert.deepEqual(codeOf(events), expected)
    assert.deepEqual((await read(events)).errors.length, 0)
  }
  assert.deepEqual(codeOf(eventsOf([frameOf('run.cancelled')], false)), 'cancelled')
  assert.deepEqual((await read(eventsOf([failed]))).codes, ['model_error'])
})

test('AG-UI: clients before 1.0 receive no type that they do not know', () => {
  const delegated = [
    frameOf('delegate.started', { agent: 'other' }),
    frameOf('delegate.finished', { state: 'succeeded' }),
  ]
  const typesOf = (isCurrent: boolean) => eventsOf(delegated, isCurrent).map(({ type }) => type)
  assert.deepEqual(typesOf(true), ['RUN_STARTED', 'SUBAGENT_STARTED', 'SUBAGENT_FINISHED'])
  assert.deepEqual(typesOf(false), ['RUN_STARTED', 'CUSTOM', 'CUSTOM'])
})

const id = fc.constantFrom('a', 'b', '', 'x'.repeat(2000))
const junk = fc.oneof(fc.jsonValue(), id)
const data = fc.record(
  {
    messageId: fc.oneof(id, junk),
    role: fc.oneof(fc.constantFrom('assistant', 'user', 'tool'), junk),
    text: fc.oneof(fc.string(), junk),
    offset: fc.oneof(fc.integer({ min: -2, max: 2 ** 31 }), fc.double(), junk),
    toolCallId: fc.oneof(id, junk),
    name: junk,
    step: fc.oneof(fc.integer(), junk),
    arguments: junk,
    result: junk,
    runId: junk,
    agent: junk,
    state: fc.oneof(fc.constant('succeeded'), junk),
    code: junk,
    usage: fc.oneof(fc.record({ inputTokens: fc.double(), outputTokens: fc.integer() }), junk),
    model: junk,
    message: junk,
    failReason: junk,
    output: junk,
  },
  { requiredKeys: [] },
)
const kinds = [
  ...entryKinds.filter((kind) => kind !== 'run.paused' && kind !== 'run.resumed'),
  'stream.gone',
  'constructor',
]
// Interrupts have an id and a reason: the worker validates them (`readResult`).
const interrupt = fc.record(
  { id, reason: fc.constantFrom(...pauseReasons), tool: fc.string(), toolCallId: id, question: id, schema: junk },
  { requiredKeys: ['id', 'reason'] },
)
const frame = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(fc.constantFrom(...kinds), data, id) },
  fc.tuple(fc.constant('run.paused'), fc.record({ interrupts: fc.array(interrupt, { minLength: 1 }) }), id),
)

test('AG-UI, F5: whatever an agent reports, the SDK accepts the stream', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 40 }), fc.boolean(), async (given, isCurrent) => {
      const frames = given.map(([kind, content, span]) => frameOf(kind, content, span))
      const all = [...frames, frameOf('run.succeeded', { output: null })]
      const { errors } = await read(eventsOf(all, isCurrent))
      assert.deepEqual(errors, [])
    }),
    { numRuns: 300 },
  )
})
