import type { AgUiEventType } from '#schemas/api/ag-ui.ts'
import type { LiveFrame } from '../contract/live-frame.ts'

/** An event of the Agent User Interaction Protocol (docs.ag-ui.com, version 1.0). */
export interface AgUiEvent {
  readonly type: AgUiEventType
  /** Milliseconds since 1970. */
  readonly timestamp?: number
  readonly [field: string]: unknown
}

/** Events of a frame, without timestamps. */
export type Events = readonly AgUiEvent[]

/** Content of a frame as the agent sent it, of any type. */
export type FrameData = LiveFrame['data']

/** Maximum number of entities of one kind that may be open at once. Further entities of the agent are ignored. */
export const MAX_OPEN = 1000

const maxId = 1024

/** Reads an id or a name that an agent reports. Undefined if it is not a string or too long to keep. */
export function readId(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= maxId ? value : undefined
}

/** A string unchanged, another value as JSON. */
export function toEventText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
