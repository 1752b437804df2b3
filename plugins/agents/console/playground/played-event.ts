import type { Static } from 'typebox'
import type { RunEvent } from '#schemas/api/run-events.ts'

type SentEvent = Static<typeof RunEvent>
/** An event of a run, as its stream sends it. Agents add fields of their own. */
export type PlayedEvent = Omit<SentEvent, 'data'> & {
  readonly data: SentEvent['data'] & Readonly<Record<string, unknown>>
}
