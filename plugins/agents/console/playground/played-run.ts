import type { Static } from 'typebox'
import type { Interrupt } from '#schemas/api/runs.ts'
import { addToTree, emptyTree, nameOfAgent } from './live-tree.ts'
import type { LiveTree } from './live-tree.ts'
import type { PlayedEvent } from './played-event.ts'

/** A decision that a run waits for. */
export type PlayedInterrupt = Static<typeof Interrupt>

/** A part of an answer, in the order in which it came. */
export type PlayedPart =
  | {
      readonly kind: 'text'
      readonly id: string
      readonly role: string
      readonly words: string
      readonly isDone: boolean
    }
  | {
      readonly kind: 'tool' | 'delegate'
      readonly id: string
      readonly name: string
      readonly input: unknown
      readonly output: unknown
      readonly hasFailed: boolean
      readonly durationMs: number | undefined
      readonly isDone: boolean
    }

/** What is known of a run from its events. */
export interface PlayedRun {
  readonly runId: string
  /** Of the run: `queued` until it starts. */
  readonly state: string
  readonly parts: readonly PlayedPart[]
  readonly tree: LiveTree
  readonly interrupts: readonly PlayedInterrupt[]
  readonly output: unknown
  /** Why it failed, or what it waits for. */
  readonly message: string | undefined
  readonly isEnded: boolean
}

/** A run of which no event has come. */
export function newPlayedRun(runId: string, agent: string): PlayedRun {
  return {
    runId,
    state: 'queued',
    parts: [],
    tree: emptyTree(runId, agent),
    interrupts: [],
    output: undefined,
    message: undefined,
    isEnded: false,
  }
}

const endStates = new Set(['succeeded', 'failed', 'cancelled', 'timed_out', 'rejected'])

/** The run after some more events. An event of a kind that is not known changes nothing. Pure. */
export function playEvents(run: PlayedRun, events: readonly PlayedEvent[]): PlayedRun {
  return events.reduce(playEvent, run)
}

function playEvent(run: PlayedRun, event: PlayedEvent): PlayedRun {
  const [what = '', happened = ''] = event.kind.split('.')
  const tree = addToTree(run.tree, event)
  const next = tree === run.tree ? run : { ...run, tree }
  if (what === 'run') return playState(next, happened, event)
  if (what === 'message') return { ...next, parts: playText(next.parts, happened, event) }
  if (what === 'tool' || what === 'delegate') return { ...next, parts: playCall(next.parts, what, happened, event) }
  if (event.kind === 'interrupt.resolved') {
    return { ...next, interrupts: next.interrupts.filter(({ id }) => id !== event.data.interruptId) }
  }
  return next
}

function playState(run: PlayedRun, happened: string, { data }: PlayedEvent): PlayedRun {
  const { interrupts = [], output, message } = data
  switch (happened) {
    case 'waiting':
    case 'progress':
      return { ...run, message }
    case 'started':
    case 'resumed':
      return { ...run, state: 'running', interrupts: [], message: undefined }
    case 'paused':
      return { ...run, state: 'paused', interrupts, message: undefined }
    case 'cancelling':
      return { ...run, state: 'cancelling' }
    default: {
      if (!endStates.has(happened)) return run
      const parts = run.parts.map((part) => ({ ...part, isDone: true }))
      return { ...run, state: happened, parts, interrupts: [], output, message, isEnded: true }
    }
  }
}

function playText(parts: readonly PlayedPart[], happened: string, { data, seq }: PlayedEvent): readonly PlayedPart[] {
  const id = data.messageId ?? `message ${seq}`
  const at = parts.findIndex((part) => part.kind === 'text' && part.id === id)
  const found = parts[at]
  const was =
    found?.kind === 'text' ? found : { kind: 'text' as const, id, role: 'assistant', words: '', isDone: false }
  const next = {
    ...was,
    role: data.role ?? was.role,
    words: wordsAfter(was.words, happened, data),
    isDone: happened === 'finished',
  }
  return at === -1 ? [...parts, next] : parts.with(at, next)
}

function wordsAfter(words: string, happened: string, { text, offset }: PlayedEvent['data']): string {
  if (text === undefined) return words
  // A delta says where it begins: one that comes twice after a cut changes nothing.
  return happened === 'delta' ? words.slice(0, offset ?? words.length) + text : text
}

function playCall(
  parts: readonly PlayedPart[],
  kind: 'tool' | 'delegate',
  happened: string,
  { data, seq }: PlayedEvent,
): readonly PlayedPart[] {
  if (happened !== 'started' && happened !== 'finished') return parts
  const id = (kind === 'tool' ? data.toolCallId : data.runId) ?? `call ${seq}`
  const at = parts.findIndex((part) => part.kind === kind && part.id === id)
  const found = parts[at]
  const name = data.name ?? nameOfAgent(data.agent) ?? kind
  const begun = {
    kind,
    id,
    name,
    input: data.arguments,
    output: undefined,
    hasFailed: false,
    durationMs: undefined,
    isDone: false,
  }
  const was = found === undefined || found.kind === 'text' ? begun : found
  const ended = {
    output: data.result ?? data.output,
    hasFailed: data.isError === true || data.error !== undefined,
    durationMs: data.durationMs,
    isDone: true,
  }
  const next = happened === 'finished' ? { ...was, ...ended } : was
  return at === -1 ? [...parts, next] : parts.with(at, next)
}
