import { isObject } from '../../json/is-object.ts'
import type { MessageUsage } from './message-usage.ts'

/** API in whose form a provider responds: chat completions, also embeddings, or Anthropic's Messages API. */
export type ResponseApi = 'chat' | 'messages'

/** What an event is to those who relay it: the usage alone, the end of the stream, or anything else. */
export type EventKind = 'usage' | 'last' | 'other'

/** Reads the events of a stream, one after the other. */
export interface EventReader {
  /** Whether events, as Latin-1, are without anything to read. It costs less than reading them. */
  isPlain(events: string): boolean
  /** Reads the data of an event. */
  read(data: string): EventKind
  /** Undefined before the counts of the provider. */
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

/** The name of a model; undefined if there is none. Azure begins a stream with an empty one. */
export function modelIn({ model }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof model === 'string' && model !== '' ? model : undefined
}
