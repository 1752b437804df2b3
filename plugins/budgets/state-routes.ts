import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { UserInfo } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import {
  EndedAnswer,
  HoldAnswer,
  HoldId,
  HoldRequest,
  Openings,
  OpeningsAnswer,
  RenewAnswer,
  RenewRequest,
  SettleRequest,
  Settlements,
  SettlementsAnswer,
} from './contract/hold-schemas.ts'
import { openings } from './contract/wire.ts'
import { createHold, endHolds, renewHolds } from './holds/holds.ts'
import type { EndRequest, HoldServices } from './holds/holds.ts'
import { createHolds } from './holds/openings.ts'
import { readRemaining } from './holds/remaining.ts'

const IdParams = Type.Object({ id: HoldId })
const RemainingAnswer = Type.Object({
  budget: Type.Union([Type.Object({ remaining: Type.String(), currency: Type.String() }), Type.Null()]),
})
const authz = { kind: 'bearer' } as const

/** Routes of the state role: holds of money for model calls, by the launcher of an agent. */
export function holdEndpoints(services: HoldServices, state: StateContext): readonly AnyEndpoint[] {
  const podOf = async (bearer: string): Promise<UserInfo> => {
    const pod = await state.authenticate(bearer, 'state')
    if (pod === undefined) throw new Fail('unauthenticated')
    return pod
  }
  const endOne = async (bearer: string, id: string, request: EndRequest) => {
    const [ended] = await endHolds(services, await podOf(bearer), [{ id, ...request }])
    if (ended === undefined) throw new Fail('not_found')
    return ended
  }
  const hold = endpoint({
    method: 'POST',
    url: '/budgets/holds',
    summary: 'Reserve money for a model call.',
    authz,
    body: HoldRequest,
    response: { 201: HoldAnswer },
    handle: async ({ bearer, body, headers }) =>
      createHold(services, await podOf(bearer), body, readKey(headers['idempotency-key'])),
  })
  const openMany = endpoint({
    method: openings.method,
    url: openings.path,
    summary: 'Reserve money for several model calls.',
    authz,
    body: Openings,
    response: { 200: OpeningsAnswer },
    handle: async ({ bearer, body }) => ({ items: await createHolds(services, await podOf(bearer), body) }),
  })
  const settle = endpoint({
    method: 'POST',
    url: '/budgets/holds/:id/settle',
    summary: 'Charge a call to its hold.',
    authz,
    params: IdParams,
    body: SettleRequest,
    response: { 200: EndedAnswer },
    handle: ({ bearer, params, body }) => endOne(bearer, params.id, body),
  })
  const release = endpoint({
    method: 'POST',
    url: '/budgets/holds/:id/release',
    summary: 'Release the hold of a call that was not made.',
    authz,
    params: IdParams,
    response: { 200: EndedAnswer },
    handle: ({ bearer, params }) => endOne(bearer, params.id, { release: true }),
  })
  const settleMany = endpoint({
    method: 'POST',
    url: '/budgets/settlements',
    summary: 'Charge several calls to their holds.',
    authz,
    body: Settlements,
    response: { 200: SettlementsAnswer },
    handle: async ({ bearer, body: { items } }) => {
      const ended = await endHolds(services, await podOf(bearer), items)
      return { items: items.map(({ id }, index) => ({ id, ...(ended[index] ?? { code: 'not_found' }) })) }
    },
  })
  const renew = endpoint({
    method: 'POST',
    url: '/budgets/holds/renew',
    summary: 'Extend the leases of holds.',
    authz,
    body: RenewRequest,
    response: { 200: RenewAnswer },
    handle: async ({ bearer, body }) => renewHolds(services, await podOf(bearer), body.ids),
  })
  const remaining = endpoint({
    method: 'GET',
    url: '/budgets/remaining',
    summary: 'Get what the limits on a run of the agent leave, or those on the agent itself.',
    authz,
    query: Type.Object({ runId: Type.Optional(HoldId) }, { additionalProperties: false }),
    response: { 200: RemainingAnswer },
    handle: async ({ bearer, query }) => ({
      budget: (await readRemaining(services, await podOf(bearer), query.runId ?? null)) ?? null,
    }),
  })
  return [hold, openMany, settle, release, settleMany, renew, remaining]
}

function readKey(text: string | undefined): string {
  if (text !== undefined && Value.Check(HoldId, text)) return text
  const errors = [{ pointer: 'Idempotency-Key', detail: 'must be a UUID in lower case' }]
  throw new Fail('malformed_request', 'Idempotency-Key must be a UUID in lower case.', { errors })
}
