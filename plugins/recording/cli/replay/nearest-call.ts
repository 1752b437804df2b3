import { isObject } from '#core/json/is-object.ts'
import { sequenceOf } from '#plugins/recording/contract/format/part-key.ts'
import type { MergedCall } from '#plugins/recording/contract/format/merge.ts'
import { compareShapes, shapeOf } from '#plugins/recording/contract/format/request-shape.ts'
import type { Fixture, FixtureRequest } from '#schemas/runs/fixture.ts'
import { pointerToken } from '#schemas/values/json-pointer.ts'

/** A pointer has names of tools and arguments. */
const MAX_POINTER = 200

/** The recorded call that a call is most like, and the place of the first difference: `nearest is model call 100001, at /body/messages/0/role`. */
export function describeNearest(fixture: Fixture, made: FixtureRequest, matched?: MergedCall): string | undefined {
  const nearest = matched ?? findNearest(fixture[made.channel], made)
  if (nearest === undefined) return undefined
  const pointer = firstDifference(nearest.request, made.request)
  const place =
    pointer === undefined ? 'equal to it' : `first different at ${JSON.stringify(pointer.slice(0, MAX_POINTER))}`
  return `nearest recorded: ${nearest.channel} call ${sequenceOf(nearest)}, ${place}`
}

function findNearest(calls: readonly MergedCall[], made: FixtureRequest): MergedCall | undefined {
  const shape = shapeOf(made)
  let best: { readonly call: MergedCall; readonly distance: number } | undefined
  for (const call of calls) {
    const distance = compareShapes(shapeOf(call), shape).length
    // Of equals the last: an additional call is mostly a repetition.
    if (best === undefined || distance <= best.distance) best = { call, distance }
  }
  return best?.call
}

/** RFC 6901 pointer to the first value that differs, in the order of the recorded keys; undefined for equal values. */
export function firstDifference(recorded: unknown, made: unknown, at = ''): string | undefined {
  if (Array.isArray(recorded) && Array.isArray(made)) return ofKeys(recorded, made, at)
  if (isObject(recorded) && isObject(made)) return ofKeys(recorded, made, at)
  return recorded === made ? undefined : at
}

function ofKeys(recorded: object, made: object, at: string): string | undefined {
  const [before, after] = [recorded, made] as readonly Readonly<Record<string, unknown>>[]
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(made)])) {
    const place = `${at}/${pointerToken(key)}`
    if (!Object.hasOwn(recorded, key) || !Object.hasOwn(made, key)) return place
    const found = firstDifference(before?.[key], after?.[key], place)
    if (found !== undefined) return found
  }
  return undefined
}
