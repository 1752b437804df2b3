import { isObject } from '#core/json/is-object.ts'
import type { StateResponse, StateCall, StateClient } from '../../contract/state/state-client.ts'
import { shareRequests } from './share-requests.ts'
import type { WaitingItem } from './share-requests.ts'

/** A request for a hold, with its idempotency key (UUID). */
export interface Opening {
  readonly key: string
  readonly request: object
}

/** Opens a hold. Resolves with the answer of `POST /budgets/holds`; rejects without an answer. */
export type OpenHold = (opening: Opening) => Promise<StateResponse>

type Group = readonly WaitingItem<Opening, StateResponse>[]

/** Bound of a request at the state role. */
const MOST_ITEMS = 100
/** How long holds are opened one by one after a state role did not know the path. */
const ALONE_MS = 60_000

/** Creates the opener: holds that are asked for while requests are in progress share the next one, each with its key and its answer. */
export function createOpenings(state: StateClient, now = (): number => performance.now()): OpenHold {
  let aloneUntil = -Infinity
  // Sent again at once: a kept connection may close while the request is written.
  const ask = (call: StateCall): Promise<StateResponse> =>
    state(call).catch((error: unknown) => (wasReset(error) ? state(call) : Promise.reject(error as Error)))
  const openAlone = ({ key, request }: Opening): Promise<StateResponse> =>
    ask({ method: 'POST', path: '/budgets/holds', body: request, headers: { 'idempotency-key': key } })
  const openEach = async (group: Group): Promise<void> => {
    await Promise.all(group.map(({ item, done }) => openAlone(item).then(done.resolve, done.reject)))
  }
  const openTogether = async (group: Group): Promise<void> => {
    const items = group.map(({ item: { key, request } }) => ({ key, ...request }))
    let answer: StateResponse
    try {
      answer = await ask({ method: 'POST', path: '/budgets/openings', body: { items } })
    } catch (error) {
      for (const { done } of group) done.reject(error)
      return
    }
    const isUnknown = answer.status === 404 || answer.status === 405
    if (isUnknown) aloneUntil = now() + ALONE_MS
    // Refused as a whole because of one of them, or a state role of an older version.
    if (isUnknown || answer.status === 400) return openEach(group)
    if (answer.status !== 200) return group.forEach(({ done }) => done.resolve(answer))
    const answers = answersOf(answer, group.length)
    // What a member ran into unexpectedly is reported where it is asked for alone.
    const isOpen = (index: number): boolean => answers?.[index] === undefined || answers[index].status === 500
    for (const [index, { done }] of group.entries()) if (!isOpen(index)) done.resolve(answers?.[index] as StateResponse)
    await openEach(group.filter((_, index) => isOpen(index)))
  }
  const share = shareRequests<Opening, StateResponse>(
    (group) => (group.length === 1 ? openEach(group) : openTogether(group)),
    MOST_ITEMS,
  )
  return (opening) => (now() < aloneUntil ? openAlone(opening) : share(opening))
}

function wasReset(error: unknown): boolean {
  return isObject(error) && (error.code === 'ECONNRESET' || error.code === 'UND_ERR_SOCKET')
}

// In the order of the request; undefined unless there is one for each.
function answersOf({ bytes, body: { items } }: StateResponse, count: number): readonly StateResponse[] | undefined {
  if (!Array.isArray(items) || items.length !== count) return undefined
  return items.map((one: unknown) => {
    const body = isObject(one) ? one : {}
    const { status, headers } = body
    const own = isObject(headers) ? Object.entries(headers).filter(([, value]) => typeof value === 'string') : []
    return {
      status: typeof status === 'number' ? status : 201,
      headers: Object.fromEntries(own) as StateResponse['headers'],
      bytes,
      body,
    }
  })
}
