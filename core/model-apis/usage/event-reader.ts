import { isObject } from '../../json/is-object.ts'
import type { MessageUsage } from './message-usage.ts'

/** API whose form a provider's response has: chat completions (also for embeddings), or Anthropic's Messages API. */
export type ResponseApi = 'chat' | 'messages'

/** Kind of an event, for code that relays it: the usage alone, the end of the stream, or anything else. */
export type EventKind = 'usage' | 'last' | 'other'

/** Reads the events of a stream, one after the other. */
export interface EventReader {
  /** Whether events, as Latin-1, contain nothing to read. This check costs less than reading them. */
  isPlain(events: string): boolean
  /** Reads the data of an event. */
  read(data: string): EventKind
  /** Undefined until the provider has sent its counts. */
  usage(): MessageUsage | undefined
  /** Name of the model at the provider. */
  model(): string | undefined
  /** Whether an error has been sent. */
  failed(): boolean
}

/** The object in an event or a document; undefined for anything else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the model name; undefined if it is absent or empty, as in the first event of Azure's streams. */
export function modelIn({ model }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof model === 'string' && model !== '' ? model : undefined
}
