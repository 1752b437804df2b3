/** Format of recordings. In a file without schemas, since the launcher imports it. */
export const FIXTURE_FORMAT = 'mesh.fixture/v1'

/** Channels of a recording: model calls (port 2996) and tool calls (port 2999). */
export const fixtureChannels = ['model', 'tool'] as const

/** One of `fixtureChannels`. */
export type FixtureChannel = (typeof fixtureChannels)[number]

/** Maximum number of calls of one channel in one attempt of a run. */
export const MAX_ORDINAL = 99_999

/** Maximum size of one part as JSON. A larger call is recorded without its content. */
export const MAX_PART_BYTES = 2 * 1024 * 1024
