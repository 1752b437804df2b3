import type { JournalEvent } from '#ui/parts/run/journal-event.ts'

/** The journal of a run as far as it has been read, with what is not kept in it. */
export interface RunLog {
  readonly events: readonly JournalEvent[]
  /** Texts that are being written, by the id of their message. */
  readonly texts: ReadonlyMap<string, string>
  /** The current step of the agent, in its own words. */
  readonly progress: string | undefined
  /** Earlier events were dropped. */
  readonly isCut: boolean
}

/** A log without events. */
export const emptyLog: RunLog = { events: [], texts: new Map(), progress: undefined, isCut: false }

const MOST_EVENTS = 20_000

/** The event of a frame; undefined for one that cannot be read. */
export function readEvent({ data }: { readonly data: string }): JournalEvent | undefined {
  try {
    const event = JSON.parse(data) as Partial<JournalEvent> | null
    if (event === null || typeof event.kind !== 'string') return undefined
    const { seq = -1, ts = '', kind, agent = null, spanId = null } = event
    const inner: unknown = event.data
    return {
      seq,
      ts,
      kind,
      agent,
      spanId,
      data: typeof inner === 'object' && inner !== null ? (inner as JournalEvent['data']) : {},
    }
  } catch {
    return undefined
  }
}

/** The log with the events of a frame. After a reconnection some come again; they are left out. */
export function addEvents(log: RunLog, added: readonly JournalEvent[]): RunLog {
  const texts = new Map(log.texts)
  let { progress } = log
  let last = log.events.at(-1)?.seq ?? 0
  const fresh: JournalEvent[] = []
  for (const event of added) {
    addText(texts, event)
    if (event.kind === 'run.progress')
      progress = typeof event.data['message'] === 'string' ? event.data['message'] : undefined
    if (event.seq <= last) continue
    last = event.seq
    fresh.push(event)
  }
  const events = fresh.length === 0 ? log.events : [...log.events, ...fresh]
  return { events: events.slice(-MOST_EVENTS), texts, progress, isCut: log.isCut || events.length > MOST_EVENTS }
}

function addText(texts: Map<string, string>, { kind, data }: JournalEvent): void {
  const { messageId, text, offset } = data
  if (typeof messageId !== 'string') return
  if (kind === 'message.finished') texts.delete(messageId)
  if ((kind !== 'message.delta' && kind !== 'message.snapshot') || typeof text !== 'string') return
  const before = texts.get(messageId) ?? ''
  texts.set(
    messageId,
    kind === 'message.snapshot' ? text : before.slice(0, typeof offset === 'number' ? offset : before.length) + text,
  )
}
