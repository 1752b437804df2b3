import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Call } from '#core/http/endpoint/endpoint.ts'
import { serverReplyOf } from '#core/http/endpoint/reply.ts'
import { openEventStream } from '#core/http/stream/event-stream.ts'
import type { EventStream } from '#core/http/stream/event-stream.ts'
import { encodeFrame } from '#core/sse/frame.ts'
import type { RunSnapshot } from '#plugins/runs/contract/api.ts'
import { isShareOpen } from '../store/read-shared.ts'
import type { SharingTables, SnapshotRow } from '../contract/tables.ts'
import type { EndedShares } from './ended-shares.ts'

/** Dependencies of `streamShared`. */
export interface StreamSharedServices {
  readonly store: Store
  readonly shares: EndedShares
}

type RunEvent = Omit<RunSnapshot['events'][number], 'kind'> & { readonly kind: string }
type PublicCall = Call<unknown, unknown, unknown>

/**
 * Sends the events of a share in the format of a run's events, and ends. A revocation closes the stream immediately: otherwise a slow client could
 * still read the rest.
 */
export async function streamShared(
  { store, shares }: StreamSharedServices,
  call: PublicCall,
  { share_id: id, events }: SnapshotRow,
): Promise<undefined> {
  const { raw } = serverReplyOf(call)
  let stream: EventStream | undefined
  let isRemoved = false
  const followed = await shares.follow(id, () => {
    isRemoved = true
    if (stream !== undefined) raw.destroy()
  })
  const recheck = async (): Promise<void> => {
    if (isRemoved || !(await isShareOpen(store.reader<SharingTables>(), id)) || isRemoved) throw new Fail('not_found')
  }
  try {
    // A share removed before the subscription is reported as unknown.
    await recheck()
    stream = openEventStream(call, { recheck })
    await sendAll(stream, JSON.parse(events) as readonly RunEvent[])
    stream.end()
    await stream.closed
  } finally {
    await followed.stop()
  }
  return undefined
}

async function sendAll(stream: EventStream, events: readonly RunEvent[]): Promise<void> {
  const last = events.at(-1)
  for (const event of events) {
    if (stream.ended) return
    await stream.send(encodeFrame({ event: event.kind, data: JSON.stringify(event), id: String(event.seq) }))
  }
  if (last === undefined || stream.ended) return
  const { v, runId, ts, agent, path } = last
  const end = { v, runId, ts, kind: 'stream.end', agent, path, spanId: '', data: {} }
  await stream.send(encodeFrame({ event: end.kind, data: JSON.stringify(end) }))
}
