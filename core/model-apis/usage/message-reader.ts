import { isObject } from '../../json/is-object.ts'
import { modelIn, parseObject } from './event-reader.ts'
import type { EventKind, EventReader } from './event-reader.ts'
import { readMessageUsage } from './message-usage.ts'
import type { MessageUsage } from './message-usage.ts'

type Json = Readonly<Record<string, unknown>>

const marks = /message_(?:start|delta|stop)/

/** Creates a reader of the events of a message of Anthropic's API. */
export function createMessageReader(): EventReader {
  let counts: Json = {}
  let usage: MessageUsage | undefined
  let model: string | undefined
  let failed = false
  // Counts at the end are totals; missing ones are taken from the start.
  const add = (given: unknown): void => {
    if (isObject(given)) counts = { ...counts, ...Object.fromEntries(Object.entries(given).filter(hasValue)) }
  }
  const readEvent = (event: Json): EventKind => {
    const { type, message } = event
    if (type === 'message_stop') return 'last'
    if (type === 'error') failed = true
    else if (type === 'message_delta') {
      add(event.usage)
      usage = readMessageUsage(counts) ?? usage
    } else if (type === 'message_start' && isObject(message)) {
      add(message.usage)
      model ??= modelIn(message)
    }
    return 'other'
  }
  return {
    isPlain: (events) => !(events.includes('message_') && marks.test(events)) && !events.includes('"error"'),
    read(data) {
      const event = parseObject(data)
      return event === undefined ? 'other' : readEvent(event)
    },
    usage: () => usage,
    model: () => model,
    failed: () => failed,
  }
}

function hasValue([, value]: readonly [string, unknown]): boolean {
  return value !== null && value !== undefined
}
