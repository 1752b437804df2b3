import type { AgUiEventType } from '#schemas/api/ag-ui.ts'
import type { LiveFrame } from '../contract/live-frame.ts'

/** An event of the Agent User Interaction Protocol (docs.ag-ui.com, version 1.0). */
export interface AgUiEvent {
  readonly type: AgUiEventType
  /** Milliseconds since 1970. */
  readonly timestamp?: number
  readonly [field: string]: unknown
}

/** Events of a frame before they have a time. */
export type Events = readonly AgUiEvent[]

/** Content of a frame, as an agent sent it: of any form. */
export type FrameData = LiveFrame['data']

/** Most entities of one kind that may be open at once. An agent that opens more is not followed further. */
export const MAX_OPEN = 1000

const maxId = 1024

/** Reads an id or a name that an agent reports. Undefined if it is not text or too long to keep. */
export function readId(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= maxId ? value : undefined
}

/** A text as it is, another value as JSON. */
export function toEventText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
