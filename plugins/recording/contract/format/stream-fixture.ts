import { createFixtureMerge } from '#plugins/recording/contract/format/merge.ts'
import type { FixtureMerge } from '#plugins/recording/contract/format/merge.ts'
import { parsePartKey, prefixOfRun } from '#plugins/recording/contract/format/part-key.ts'
import type { ObjectKey } from '#core/objects/object-key.ts'
import { MAX_PAGE } from '#core/objects/object-store.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import { FIXTURE_FORMAT, MAX_PART_BYTES, fixtureChannels } from '#schemas/runs/fixture-format.ts'
import { toRecordingFailure } from './recording-failure.ts'

/** More keys than a recording has with the maximum quota. */
const MAX_KEYS = 101_000

/** Keys of the parts of a run, in order. Throws `recording_unavailable`. */
export async function listParts(objects: ObjectStore, runId: string): Promise<readonly ObjectKey[]> {
  const keys: ObjectKey[] = []
  for (let after: ObjectKey | undefined; keys.length < MAX_KEYS;) {
    const page = await objects.list(prefixOfRun(runId), { limit: MAX_PAGE, after }).catch((error: unknown) => {
      throw toRecordingFailure(error)
    })
    keys.push(...page)
    if (page.length < MAX_PAGE) break
    after = page.at(-1)
  }
  return keys
}

/** Yields the merged recording as JSON, part by part: only one part is in memory. Throws if the store fails. */
export async function* streamFixture(
  objects: ObjectStore,
  runId: string,
  keys: readonly ObjectKey[],
): AsyncGenerator<string> {
  const merge = createFixtureMerge(runId)
  for (const key of keysOf(keys, 'end')) await readPart(objects, key, merge)
  yield `{"format":${JSON.stringify(FIXTURE_FORMAT)},"runId":${JSON.stringify(runId)}`
  for (const channel of fixtureChannels) {
    yield `,"${channel}":[`
    let separator = ''
    for (const key of keysOf(keys, channel)) {
      const call = await readPart(objects, key, merge)
      if (call === undefined) continue
      yield separator + JSON.stringify(call)
      separator = ','
    }
    yield ']'
  }
  yield `,${JSON.stringify(merge.end()).slice(1)}\n`
}

function keysOf(keys: readonly ObjectKey[], channel: string): readonly ObjectKey[] {
  return keys.filter((key) => parsePartKey(key)?.channel === channel)
}

async function readPart(objects: ObjectStore, key: ObjectKey, merge: FixtureMerge) {
  const bytes = await objects.get(key, 2 * MAX_PART_BYTES)
  // The part was removed after it was listed: the merge reports the gap.
  if (bytes === undefined) return undefined
  return merge.add(parse(bytes))
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
