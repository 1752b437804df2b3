import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { stateRoute } from '#core/http/endpoint/state-route.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { HoldId } from './contract/hold-id.ts'
import { openHold, openHolds, releaseHold, remaining, extendHolds, settleHold, settleHolds } from './contract/wire.ts'
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
    ...stateRoute(openHold),
    summary: 'Reserve money for a model call.',
    authz,
    handle: async ({ access: { agent }, body, headers }) =>
      createHold(services, agent, body, readKey(headers['idempotency-key'])),
  })
  const openMany = endpoint({
    ...stateRoute(openHolds),
    summary: 'Reserve money for several model calls.',
    authz,
    handle: async ({ access: { agent }, body }) => ({ items: await createHolds(services, agent, body) }),
  })
  const settle = endpoint({
    ...stateRoute(settleHold),
    summary: 'Charge a call to its hold.',
    authz,
    params: IdParams,
    handle: ({ access: { agent }, params, body }) => endOne(agent, params.id, body),
  })
  const release = endpoint({
    ...stateRoute(releaseHold),
    summary: 'Release the hold of a call that was not made.',
    authz,
    params: IdParams,
    handle: ({ access: { agent }, params }) => endOne(agent, params.id, { release: true }),
  })
  const settleMany = endpoint({
    ...stateRoute(settleHolds),
    summary: 'Charge several calls to their holds.',
    authz,
    handle: async ({ access: { agent }, body: { items } }) => {
      const ended = await endHolds(services, agent, items)
      return { items: items.map(({ id }, index) => ({ id, ...(ended[index] ?? { code: 'not_found' }) })) }
    },
  })
  const renew = endpoint({
    ...stateRoute(extendHolds),
    summary: 'Extend the leases of holds.',
    authz,
    handle: async ({ access: { agent }, body }) => renewHolds(services, agent, body.ids),
  })
  const left = endpoint({
    ...stateRoute(remaining),
    summary: 'Get what remains of the limits on a run of the agent, or on the agent itself.',
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
  const errors = [{ pointer: 'Idempotency-Key', detail: 'must be a lowercase UUID' }]
  throw new Fail('malformed_request', 'Idempotency-Key must be a lowercase UUID.', { errors })
}
