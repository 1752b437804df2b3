import { isObject } from '#core/json/is-object.ts'
import type { EntryKind, Interrupt, InvokeResult } from '#schemas/runs/run.ts'
import type { ParsedEvent } from '#core/sse/parser.ts'
import { JsonRefused, notJson, parseBoundedJson } from '../contract/http/bounded-json.ts'
import { maxInterrupts, pause, toInterrupt, tooManyInterrupts, toUsage } from '../runs/outcome.ts'
import { textBytes } from '../runs/journal.ts'
import { failed, newMessageId } from '../runs/run-context.ts'
import type { RunContext } from '../runs/run-context.ts'

// Kinds that an agent may report. State of the run, guardrails and stream are reported by the platform.
const allowed: ReadonlySet<string> = new Set<EntryKind>([
  'step.started',
  'step.finished',
  'message.started',
  'message.finished',
  'tool.started',
  'tool.finished',
])

const maxModel = 256

// Stored outside the journal until the stream ends.
const kept: ReadonlySet<string> = new Set(['output', 'error', 'checkpoint', 'interrupt.requested'])

/** Maps the events of an agent's stream into the run's journal. */
export interface AgentEvents {
  take(event: ParsedEvent): void
  /** Returns the outcome after the stream has ended. */
  end(): InvokeResult
  /** Finishes open messages with their text so far. */
  cut(): void
}

/**
 * Reads an agent's event stream: unnamed events are text; `message.delta` is `{text, messageId?}`; `output` is the output as
 * JSON; `error` is `{message}`; `usage.reported` is a Usage; `interrupt.requested` is an Interrupt, with the checkpoint in an event
 * `checkpoint`; other kinds of schemas/runs/run.ts are appended to the journal unchanged. Without `output` the text is the output.
 */
export function createAgentEvents(context: RunContext): AgentEvents {
  const interrupts: Interrupt[] = []
  let checkpoint: unknown
  let output: { value: unknown } | undefined
  let error: string | undefined
  let text = ''
  const messages = createMessages(context, (added) => {
    text += added
    context.hold(textBytes(added))
  })

  const named: Record<string, (data: unknown, raw: string) => void> = {
    message: (_, raw) => raw !== '[DONE]' && messages.delta(undefined, raw),
    'message.delta': (data) => {
      const delta = isObject(data) ? data : { text: data }
      messages.delta(typeof delta.messageId === 'string' ? delta.messageId : undefined, textOf(delta.text))
    },
    output: (data, raw) => (output = { value: data === undefined ? raw : data }),
    error: (data, raw) => (error = isObject(data) && typeof data.message === 'string' ? data.message : raw),
    checkpoint: (data) => (checkpoint = data),
    'interrupt.requested': (data) => {
      if (interrupts.length === maxInterrupts) throw new Error(tooManyInterrupts)
      interrupts.push(toInterrupt(data))
    },
    'usage.reported': (data) => {
      const given = isObject(data) ? data : {}
      const model = typeof given.model === 'string' ? { model: given.model.slice(0, maxModel) } : {}
      context.report(toUsage('usage' in given ? given.usage : given), model)
    },
  }

  return {
    take({ event, data }) {
      const value = event === 'message' ? undefined : parse(event, data)
      const handle = Object.hasOwn(named, event) ? named[event] : undefined
      if (kept.has(event)) context.hold(textBytes(data))
      if (handle !== undefined) handle(value, data)
      else if (allowed.has(event) && isObject(value)) messages.emit(event as EntryKind, value)
    },
    cut: messages.finishOpen,
    end() {
      messages.finishOpen()
      if (error !== undefined) return failed('agent_error', error, context.usage())
      if (interrupts.length > 0) return pause(context, interrupts, checkpoint)
      return { state: 'succeeded', output: output === undefined ? text : output.value, usage: context.usage() }
    },
  }
}

// Opens and closes messages if the agent does not, so that every delta belongs to a message of the journal.
function createMessages(context: RunContext, onText: (text: string) => void) {
  const open = new Map<string, string>()
  let current: string | undefined
  const start = (messageId: string, data: object = { role: 'assistant' }): void => {
    open.set(messageId, '')
    current = messageId
    context.emit('message.started', { ...data, messageId })
  }
  const finish = (messageId: string, data: object): void => {
    context.emit('message.finished', { role: 'assistant', text: open.get(messageId) ?? '', ...data, messageId })
    open.delete(messageId)
    if (current === messageId) current = undefined
  }
  return {
    delta(messageId: string | undefined, text: string): void {
      const id = messageId ?? current ?? newMessageId()
      if (!open.has(id)) start(id)
      open.set(id, (open.get(id) ?? '') + text)
      onText(text)
      context.delta(id, text)
    },
    emit(kind: EntryKind, data: Readonly<Record<string, unknown>>): void {
      const id = typeof data.messageId === 'string' ? data.messageId : undefined
      if (kind === 'message.started') start(id ?? newMessageId(), data)
      else if (kind === 'message.finished') finish(id ?? current ?? newMessageId(), data)
      else context.emit(kind, data)
    },
    finishOpen(): void {
      for (const id of open.keys()) finish(id, {})
    },
  }
}

// Data that is not JSON is text; JSON beyond its bounds fails the run.
function parse(event: string, data: string): unknown {
  try {
    return parseBoundedJson(data)
  } catch (error) {
    if (error instanceof JsonRefused && error.message === notJson) return undefined
    throw error instanceof JsonRefused ? new Error(`its event ${event.slice(0, 64)} ${error.message}`) : error
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
