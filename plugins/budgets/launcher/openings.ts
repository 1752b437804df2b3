import { isObject } from '#core/json/is-object.ts'
import { openHold, openHolds } from '#plugins/budgets/contract/wire.ts'
import type { HoldRequest, OpenedHold, RefusedOpening } from '#plugins/budgets/contract/wire.ts'
import type { PathResponse } from '#schemas/wire/read-response.ts'
import { callState } from '#launcher/contract/state/call-state.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'
import { shareRequests } from './share-requests.ts'
import type { WaitingItem } from './share-requests.ts'

/** A request for a hold, with its idempotency key (UUID). */
export interface OpeningRequest {
  readonly key: string
  readonly request: HoldRequest
}

/** The response for one hold, even where several shared a request. */
export type OpeningResponse = Omit<PathResponse<OpenedHold>, 'bytes'>

/** Opens a hold. Resolves with the response of `POST /budgets/holds`; rejects without one. */
export type OpenHold = (opening: OpeningRequest) => Promise<OpeningResponse>

type Group = readonly WaitingItem<OpeningRequest, OpeningResponse>[]

/** Maximum items per request of the state role. */
const MAX_ITEMS = 100
/** How long holds are opened individually after a state role returned 404 for the path. */
const ALONE_MS = 60_000

/** Creates the opener: holds requested while requests are in progress share the next one, each with its key and its response. */
export function createOpenings(state: StateClient, now = (): number => performance.now()): OpenHold {
  let aloneUntil = -Infinity
  // Sent again immediately: a kept connection may close while the request is written.
  const ask = <T>(send: () => Promise<T>): Promise<T> =>
    send().catch((error: unknown) => (wasReset(error) ? send() : Promise.reject(error as Error)))
  const openAlone = ({ key, request }: OpeningRequest): Promise<OpeningResponse> =>
    ask(() => callState(state, openHold, { body: request, headers: { 'idempotency-key': key } }))
  const openEach = async (group: Group): Promise<void> => {
    await Promise.all(group.map(({ item, done }) => openAlone(item).then(done.resolve, done.reject)))
  }
  const openTogether = async (group: Group): Promise<void> => {
    const items = group.map(({ item: { key, request } }) => ({ key, ...request }))
    let response: PathResponse<{ readonly items: readonly (OpenedHold | RefusedOpening)[] }>
    try {
      response = await ask(() => callState(state, openHolds, { body: { items } }))
    } catch (error) {
      for (const { done } of group) done.reject(error)
      return
    }
    const { status, value } = response
    const isUnknown = status === 404 || status === 405
    if (isUnknown) aloneUntil = now() + ALONE_MS
    // The request was refused as a whole because of one item, or the state role has an older version.
    if (isUnknown || status === 400) return openEach(group)
    if (status !== 200) return group.forEach(({ done }) => done.resolve({ ...response, value: undefined }))
    const opened = value?.items.length === group.length ? value.items.map(toResponse) : []
    // An unexpected error of an item is reported when the item is sent alone.
    const isOpen = (index: number): boolean => opened[index] === undefined || opened[index].status === 500
    for (const [index, { done }] of group.entries()) if (!isOpen(index)) done.resolve(opened[index] as OpeningResponse)
    await openEach(group.filter((_, index) => isOpen(index)))
  }
  const share = shareRequests<OpeningRequest, OpeningResponse>(
    (group) => (group.length === 1 ? openEach(group) : openTogether(group)),
    MAX_ITEMS,
  )
  return (opening) => (now() < aloneUntil ? openAlone(opening) : share(opening))
}

function wasReset(error: unknown): boolean {
  return isObject(error) && (error.code === 'ECONNRESET' || error.code === 'UND_ERR_SOCKET')
}

function toResponse(item: OpenedHold | RefusedOpening): OpeningResponse {
  if ('id' in item) return { status: 201, headers: {}, value: item, problem: {} }
  const { status, headers, code, detail } = item
  return { status, headers, value: undefined, problem: { code, detail } }
}
