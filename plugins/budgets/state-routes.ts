import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { stateRoute } from '#core/http/endpoint/state-route.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import {
  EndedResponse,
  HoldResponse,
  HoldId,
  HoldRequest,
  Openings,
  OpeningsResponse,
  RenewResponse,
  RenewRequest,
  SettleRequest,
  Settlements,
  SettlementsResponse,
} from './contract/hold-schemas.ts'
import { openings, remaining } from './contract/wire.ts'
import { createHold, endHolds, renewHolds } from './holds/holds.ts'
import type { EndRequest, HoldServices } from './holds/holds.ts'
import { createHolds } from './holds/openings.ts'
import { readRemaining } from './holds/remaining.ts'

const IdParams = Type.Object({ id: HoldId })
const authz = { kind: 'agent' } as const

/** Routes of the state role: holds of money for model calls, by the launcher of an agent. */
export function holdEndpoints(services: HoldServices): readonly AnyEndpoint[] {
  const endOne = async (agent: CallingAgent, id: string, request: EndRequest) => {
    const [ended] = await endHolds(services, agent, [{ id, ...request }])
    if (ended === undefined) throw new Fail('not_found')
    return ended
  }
  const hold = endpoint({
    method: 'POST',
    url: '/budgets/holds',
    summary: 'Reserve money for a model call.',
    authz,
    body: HoldRequest,
    response: { 201: HoldResponse },
    handle: async ({ access: { agent }, body, headers }) =>
      createHold(services, agent, body, readKey(headers['idempotency-key'])),
  })
  const openMany = endpoint({
    method: openings.method,
    url: openings.path,
    summary: 'Reserve money for several model calls.',
    authz,
    body: Openings,
    response: { 200: OpeningsResponse },
    handle: async ({ access: { agent }, body }) => ({ items: await createHolds(services, agent, body) }),
  })
  const settle = endpoint({
    method: 'POST',
    url: '/budgets/holds/:id/settle',
    summary: 'Charge a call to its hold.',
    authz,
    params: IdParams,
    body: SettleRequest,
    response: { 200: EndedResponse },
    handle: ({ access: { agent }, params, body }) => endOne(agent, params.id, body),
  })
  const release = endpoint({
    method: 'POST',
    url: '/budgets/holds/:id/release',
    summary: 'Release the hold of a call that was not made.',
    authz,
    params: IdParams,
    response: { 200: EndedResponse },
    handle: ({ access: { agent }, params }) => endOne(agent, params.id, { release: true }),
  })
  const settleMany = endpoint({
    method: 'POST',
    url: '/budgets/settlements',
    summary: 'Charge several calls to their holds.',
    authz,
    body: Settlements,
    response: { 200: SettlementsResponse },
    handle: async ({ access: { agent }, body: { items } }) => {
      const ended = await endHolds(services, agent, items)
      return { items: items.map(({ id }, index) => ({ id, ...(ended[index] ?? { code: 'not_found' }) })) }
    },
  })
  const renew = endpoint({
    method: 'POST',
    url: '/budgets/holds/renew',
    summary: 'Extend the leases of holds.',
    authz,
    body: RenewRequest,
    response: { 200: RenewResponse },
    handle: async ({ access: { agent }, body }) => renewHolds(services, agent, body.ids),
  })
  const left = endpoint({
    ...stateRoute(remaining),
    summary: 'Get what the limits on a run of the agent leave, or those on the agent itself.',
    authz,
    query: Type.Object({ runId: Type.Optional(HoldId) }, { additionalProperties: false }),
    handle: async ({ access: { agent }, query }) => ({
      budget: (await readRemaining(services, agent, query.runId ?? null)) ?? null,
    }),
  })
  return [hold, openMany, settle, release, settleMany, renew, left]
}

function readKey(text: string | undefined): string {
  if (text !== undefined && Value.Check(HoldId, text)) return text
  const errors = [{ pointer: 'Idempotency-Key', detail: 'must be a UUID in lower case' }]
  throw new Fail('malformed_request', 'Idempotency-Key must be a UUID in lower case.', { errors })
}
