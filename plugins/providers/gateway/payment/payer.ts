import { Fail } from '#core/errors/domain-error.ts'
import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import { parsePayer, payerHeader } from '#core/retrieval/payer.ts'
import { capHeader, parseCap } from '#core/role-models/spend-cap.ts'
import type { SpendCap } from '#core/role-models/spend-cap.ts'
import type { CallPayer } from '../../contract/call-payment.ts'
import { readAgent } from '../request/principal.ts'
import type { Principal } from '../request/principal.ts'

/**
 * The payer in the header `X-Mesh-Payer` of a platform role; undefined without the header. Callers need `create modelroutes/charge` in the payer's
 * namespace, so no tenant spends the money of another. Throws `forbidden` for others.
 */
export async function payerOf(
  gateway: GatewayContext,
  principal: Principal,
  given: string | undefined,
): Promise<CallPayer | undefined> {
  if (given === undefined) return undefined
  const payer = parsePayer(given)
  if (payer === undefined) throw refusedPayer('must be agent/<namespace>/<name>/<uid> or namespace/<namespace>/<uid>')
  if (principal.kind === 'pod')
    throw new Fail('forbidden', 'An agent pays for its own calls and must not name a payer.')
  const { namespace, uid } = payer
  await principal.caller.review('create', 'modelroutes/charge', { namespace })
  if (payer.kind === 'namespace') return { namespace, namespaceUid: uid, agent: undefined }
  const agent = await readAgent(gateway, payer)
  if (agent?.metadata.uid !== uid) throw new Fail('forbidden', 'The agent that is to pay does not exist.')
  return { namespace, namespaceUid: undefined, agent }
}

/** The cap in the header `X-Mesh-Cap` of a call with a payer; others must not name one. */
export function capOf(payer: CallPayer | undefined, given: string | undefined): SpendCap | undefined {
  if (given === undefined) return undefined
  const cap = parseCap(given)
  const detail = 'must be window/amount/currency/id, and stands beside X-Mesh-Payer only'
  if (payer !== undefined && cap !== undefined) return cap
  const errors = [{ pointer: 'X-Mesh-Cap', detail }]
  throw new Fail('malformed_request', `${capHeader}: ${detail}.`, { errors })
}

/** Error for a refused header. */
export function refusedPayer(detail: string): Fail {
  const pointer = 'X-Mesh-Payer'
  return new Fail('malformed_request', `${payerHeader}: ${detail}.`, { errors: [{ pointer, detail }] })
}
