import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Openings, RefusedOpening } from '../contract/wire.ts'
import { createHold } from './holds.ts'
import type { HoldServices } from './holds.ts'

/**
 * Reserves money for several calls of an agent. Each has its own key and result, and a refusal does not affect the others. The ledger decides on them
 * in one statement; when this resolves, every hold is committed.
 */
export function createHolds(services: HoldServices, agent: CallingAgent, { items }: Openings) {
  return Promise.all(
    items.map(({ key, ...request }) =>
      createHold(services, agent, request, key).catch((error: unknown) => toRefused(error)),
    ),
  )
}

function toRefused(error: unknown): RefusedOpening {
  // Without the error's message. The launcher repeats the request alone, and the error is reported there.
  const fail = error instanceof Fail ? error : new Fail('internal_error')
  const after = fail.retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(fail.retryAfter)) }
  return {
    status: fail.definition.status,
    code: fail.code,
    detail: fail.message,
    headers: { ...after, ...fail.headers },
  }
}
