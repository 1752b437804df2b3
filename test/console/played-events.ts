import type { PlayedEvent } from '../../plugins/agents/console/playground/played-event.ts'

const runId = '01a22968-a14e-76e1-9ea6-8ca5ce33e969'
const began = Date.UTC(2026, 10, 24, 8)
const interrupt = {
  id: 'int_1',
  tool: 'calculate',
  reason: 'approval_required',
  arguments: { expression: '6 * 7' },
} as const

/** An event of a run, some milliseconds after its start. */
export function eventOf(seq: number | undefined, kind: string, data: object, spanId = ''): PlayedEvent {
  const ts = new Date(began + (seq ?? 0) * 100).toISOString()
  const numbered = seq === undefined ? {} : { seq }
  return { v: 1, ...numbered, runId, ts, kind, agent: 'careful', path: ['careful'], spanId, data } as PlayedEvent
}

/** A run that asks before it calls a tool, as far as the question. */
export const askingEvents: readonly PlayedEvent[] = [
  eventOf(1, 'run.queued', { trigger: { by: 'ada', kind: 'api' } }),
  eventOf(2, 'run.started', { epoch: 1 }),
  eventOf(3, 'step.started', { step: 1 }, 'aaaaaaaaaaaaaaa1'),
  eventOf(
    4,
    'usage.reported',
    { model: 'mock-scripted', durationMs: 21, parentSpanId: 'aaaaaaaaaaaaaaa1' },
    'aaaaaaaaaaaaaaa2',
  ),
  eventOf(5, 'interrupt.requested', { ...interrupt }, 'aaaaaaaaaaaaaaa3'),
  eventOf(6, 'run.paused', { interrupts: [interrupt], pauseReason: 'approval_required' }),
]

/** What follows the approval. */
export const answeringEvents: readonly PlayedEvent[] = [
  eventOf(7, 'interrupt.resolved', { interruptId: 'int_1', decision: 'approve' }),
  eventOf(8, 'run.resumed', {}),
  eventOf(
    9,
    'tool.started',
    { toolCallId: 'call_1', name: 'calculate', arguments: { expression: '6 * 7' } },
    'aaaaaaaaaaaaaaa4',
  ),
  eventOf(10, 'tool.finished', { toolCallId: 'call_1', result: { value: 42 }, durationMs: 100 }, 'aaaaaaaaaaaaaaa4'),
  eventOf(11, 'step.finished', { step: 1, durationMs: 800 }, 'aaaaaaaaaaaaaaa1'),
  eventOf(12, 'step.started', { step: 2 }, 'aaaaaaaaaaaaaaa5'),
  eventOf(
    13,
    'message.started',
    { messageId: 'msg_1', role: 'assistant', parentSpanId: 'aaaaaaaaaaaaaaa5' },
    'aaaaaaaaaaaaaaa6',
  ),
  eventOf(undefined, 'message.delta', { messageId: 'msg_1', text: 'The answer ', offset: 0 }),
  eventOf(undefined, 'message.delta', { messageId: 'msg_1', text: 'is 42.', offset: 11 }),
  eventOf(
    14,
    'message.finished',
    { messageId: 'msg_1', role: 'assistant', text: 'The answer is 42.' },
    'aaaaaaaaaaaaaaa6',
  ),
  eventOf(15, 'step.finished', { step: 2, durationMs: 300 }, 'aaaaaaaaaaaaaaa5'),
  eventOf(16, 'run.succeeded', { output: 'The answer is 42.' }),
]
