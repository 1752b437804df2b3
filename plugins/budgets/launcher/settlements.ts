import { settleHold, settleHolds } from '#plugins/budgets/contract/wire.ts'
import type { EndedResponse, SettleRequest } from '#plugins/budgets/contract/wire.ts'
import type { PathResponse } from '#schemas/wire/read-response.ts'
import { callState } from '#launcher/contract/state/call-state.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'
import { shareRequests } from './share-requests.ts'
import type { WaitingItem } from './share-requests.ts'

/** One settlement to send: the id of its hold, and the body of its own route. */
export interface SettlementItem {
  readonly id: string
  readonly body: SettleRequest
}

/** The response for one hold, even where several shared a request. */
export type SettlementResponse = Pick<PathResponse<EndedResponse>, 'status' | 'value'>

/** Sends a settlement. Resolves with the response for its hold; rejects without one. */
export type SendSettlement = (item: SettlementItem) => Promise<SettlementResponse>

/** Maximum items per request of the state role. */
const MAX_ITEMS = 500

/** Creates the sender: settlements that become due while requests are in progress share the next one. */
export function createSettlements(state: StateClient): SendSettlement {
  return shareRequests((group) => sendGroup(state, group), MAX_ITEMS)
}

type Waiting = WaitingItem<SettlementItem, SettlementResponse>

async function sendGroup(state: StateClient, group: readonly Waiting[]): Promise<void> {
  const [first] = group
  if (group.length === 1 && first !== undefined) return settleOne(state, first)
  const items = group.map(({ item: { id, body } }) => ({ id, ...body }))
  const response = await callState(state, settleHolds, { body: { items } }).catch((error: unknown) => error as Error)
  if (response instanceof Error || response.status >= 500) return refuseAll(group, response)
  const { value } = response
  // The request was refused as a whole because of one item.
  if (value?.items.length !== group.length) return settleEach(state, group)
  for (const [index, { done }] of group.entries()) {
    const own = value.items[index]
    done.resolve(own === undefined || 'code' in own ? { status: 404, value: undefined } : { status: 200, value: own })
  }
}

function refuseAll(group: readonly Waiting[], cause: unknown): void {
  for (const { done } of group) done.reject(new Error('not settled', { cause }))
}

async function settleEach(state: StateClient, group: readonly Waiting[]): Promise<void> {
  for (const one of group) await settleOne(state, one)
}

async function settleOne(state: StateClient, { item: { id, body }, done }: Waiting): Promise<void> {
  await callState(state, settleHold, { params: { id }, body }).then(done.resolve, done.reject)
}
