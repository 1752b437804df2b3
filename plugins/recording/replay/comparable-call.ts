import { hashRequest } from '#plugins/recording/fixture/request-hash.ts'
import type { Fixture, FixtureRequest } from '#schemas/runs/fixture.ts'

/**
 * A call without what differs by the way to its server and not by the agent: the options of a stream, which a launcher adds, and the name that
 * bindings give to a tool.
 */
export function toComparable(call: FixtureRequest): FixtureRequest {
  if (call.channel === 'tool') return { channel: 'tool', request: { ...call.request, name: call.request.tool } }
  if (call.request.body === null) return call
  const { stream_options: _, ...body } = call.request.body
  return { channel: 'model', request: { ...call.request, body } }
}

/** A recording whose calls are comparable with those of a replay. Throws `RangeError` for requests that are nested too deeply. */
export function toComparableFixture(fixture: Fixture): Fixture {
  const comparable = <C extends FixtureRequest & { hash: string }>(call: C): C => {
    const request = toComparable(call)
    // The hash of the file is not read: a recording may have been edited.
    return { ...call, ...request, hash: hashRequest(request) }
  }
  return { ...fixture, model: fixture.model.map(comparable), tool: fixture.tool.map(comparable) }
}
