import { isContentKey } from '#core/otlp/content-keys.ts'
import type { OtlpAttributes } from '#core/otlp/span.ts'

interface Attributed {
  readonly attributes: OtlpAttributes
}

/** A span without its content, and its content; undefined if it has none. */
export interface SplitSpan<Event extends Attributed> {
  readonly attributes: OtlpAttributes
  readonly events: readonly Event[]
  readonly content: OtlpAttributes | undefined
}

/** Separates the content of a span from its attributes and those of its events. Content of an event is named `events.<index>.<key>`. Pure. */
export function splitContent<Event extends Attributed>(
  attributes: OtlpAttributes,
  events: readonly Event[],
): SplitSpan<Event> {
  const content = Object.entries(attributes).filter(([key]) => isContentKey(key))
  const cleaned = events.map((event, index) => {
    const found = Object.entries(event.attributes).filter(([key]) => isContentKey(key))
    if (found.length === 0) return event
    for (const [key, value] of found) content.push([`events.${index}.${key}`, value])
    return { ...event, attributes: withoutContent(event.attributes) }
  })
  if (content.length === 0) return { attributes, events, content: undefined }
  return { attributes: withoutContent(attributes), events: cleaned, content: Object.fromEntries(content) }
}

function withoutContent(attributes: OtlpAttributes): OtlpAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => !isContentKey(key)))
}
