import type { ObjectStore } from '#core/objects/object-store.ts'
import { hashRequest } from '#plugins/recording/contract/format/request-hash.ts'
import { parsePartKey } from '#plugins/recording/contract/format/part-key.ts'
import { toRecordingFailure } from '#plugins/recording/contract/format/recording-failure.ts'
import { listParts } from '#plugins/recording/contract/format/stream-fixture.ts'
import { MAX_PART_BYTES } from '#schemas/runs/fixture-format.ts'
import type { FixturePart } from '#schemas/runs/fixture.ts'
import type { RecordedToolRequest } from '../contract/api.ts'

/** See `RecordingApi.findToolResult`. Names that bindings assign differ between agents, so they are not compared. */
export async function findToolResult(
  objects: ObjectStore,
  runId: string,
  request: RecordedToolRequest,
): Promise<unknown> {
  const wanted = hashOf(request)
  for (const key of await listParts(objects, runId)) {
    if (parsePartKey(key)?.channel !== 'tool') continue
    const bytes = await objects.get(key, MAX_PART_BYTES).catch((error: unknown) => {
      throw toRecordingFailure(error)
    })
    const part = bytes === undefined ? undefined : (JSON.parse(bytes.toString('utf8')) as FixturePart)
    if (part?.channel !== 'tool' || part.answer.kind !== 'answer') continue
    if (hashOf(part.request) === wanted) return part.answer.body
  }
  return undefined
}

function hashOf(request: RecordedToolRequest): string {
  return hashRequest({ channel: 'tool', request: { ...request, name: request.tool } })
}
