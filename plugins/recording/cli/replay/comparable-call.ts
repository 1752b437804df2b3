import { hashRequest } from '#plugins/recording/contract/format/request-hash.ts'
import type { Fixture, FixtureRequest } from '#schemas/runs/fixture.ts'

/**
 * A call without differences that depend on the path to its server, not on the agent. These are stream options that a launcher adds, and tool names
 * assigned by bindings.
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
    // The hash in the file is ignored: a recording may have been edited.
    return { ...call, ...request, hash: hashRequest(request) }
  }
  return { ...fixture, model: fixture.model.map(comparable), tool: fixture.tool.map(comparable) }
}
