import type { ObjectStore } from '#core/objects/object-store.ts'
import type { FixtureRequest } from '#schemas/runs/fixture.ts'

/** A tool call whose recorded response is looked up. */
export type RecordedToolRequest = Extract<FixtureRequest, { channel: 'tool' }>['request']

/** Recordings for other plugins of the state role, which has the object store. */
export interface RecordingApi {
  /**
   * Finds the response to the first recorded tool call of a run that has the same server, tool and arguments. Undefined without one, and for a call that
   * failed. Throws `recording_unavailable`.
   */
  findToolResult(objects: ObjectStore, runId: string, request: RecordedToolRequest): Promise<unknown>
}
