import { isObject } from '#core/json/is-object.ts'
import type { StateResponse, StateClient } from '../../contract/state/state-client.ts'
import { shareRequests } from './share-requests.ts'
import type { WaitingItem } from './share-requests.ts'

/** One settlement to send: the id of its hold, and the body of its own route. */
export interface SettlementItem {
  readonly id: string
  readonly body: object
}

/** The answer for one hold. */
export type SettlementResponse = Pick<StateResponse, 'status' | 'headers' | 'body'>

/** Sends a settlement. Resolves with the answer for its hold; rejects without an answer. */
export type SendSettlement = (item: SettlementItem) => Promise<SettlementResponse>

/** Bound of a request at the state role. */
const MOST_ITEMS = 500

/** Creates the sender: settlements that become due while requests are in progress share the next one. */
export function createSettlements(state: StateClient): SendSettlement {
  return shareRequests((group) => sendGroup(state, group), MOST_ITEMS)
}

type Waiting = WaitingItem<SettlementItem, SettlementResponse>

async function sendGroup(state: StateClient, group: readonly Waiting[]): Promise<void> {
  const [first] = group
  if (group.length === 1 && first !== undefined) return settleOne(state, first)
  const items = group.map(({ item: { id, body } }) => ({ id, ...body }))
  const answer = await state({ method: 'POST', path: '/budgets/settlements', body: { items } }).catch(
    (error: unknown) => error,
  )
  const answers = isAnswer(answer) ? answersOf(answer, group) : undefined
  // Refused as a whole because of one of them.
  if (isAnswer(answer) && answer.status < 500 && answers === undefined)
    for (const one of group) await settleOne(state, one)
  else
    for (const [index, { done }] of group.entries()) {
      const own = answers?.[index]
      if (own === undefined) done.reject(new Error('not settled', { cause: answer }))
      else done.resolve(own)
    }
}

async function settleOne(state: StateClient, { item: { id, body }, done }: Waiting): Promise<void> {
  const path = `/budgets/holds/${encodeURIComponent(id)}/settle`
  await state({ method: 'POST', path, body }).then(done.resolve, done.reject)
}

function isAnswer(answer: unknown): answer is StateResponse {
  return isObject(answer) && typeof answer.status === 'number'
}

// In the order of the request; undefined unless there is one for each.
function answersOf(
  { status, headers, body }: StateResponse,
  group: readonly Waiting[],
): SettlementResponse[] | undefined {
  const { items } = body
  if (status !== 200 || !Array.isArray(items) || items.length !== group.length) return undefined
  return items.map((one: unknown) => {
    const own = isObject(one) ? one : {}
    return { status: own.code === 'not_found' ? 404 : 200, headers, body: own }
  })
}
