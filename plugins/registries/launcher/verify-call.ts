import type { IncomingMessage } from 'node:http'
import type { Logger } from '#core/log/logger.ts'
import { ENVELOPE_SKEW_SECONDS, digestPayload, isPathOf, verifyEnvelope } from '#core/signing/envelope.ts'
import type { SignedEnvelope } from '#core/signing/envelope.ts'
import { JwsRefused } from '#core/signing/jws.ts'
import type { CertificateIssuer } from '#core/signing/launcher-certificate.ts'
import { ENVELOPE_HEADERS, MAX_AMP_DEPTH } from '#schemas/launcher/envelope.ts'
import type { Envelope, PeerCallRequest } from '#schemas/launcher/envelope.ts'
import { singleHeader } from '#launcher/contract/http/headers.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { PeerSource } from './directory.ts'
import type { ReplayCache } from './replay-cache.ts'

/** Dependencies of the check of received envelopes. */
export interface VerifyOptions {
  /** `namespace/name` of this agent. */
  readonly self: string
  readonly directory: PeerSource
  readonly replays: ReplayCache
  readonly issuer: CertificateIssuer
  readonly log: Logger
}

/** An accepted envelope, and its token. */
export interface AcceptedCall {
  readonly token: string
  readonly envelope: Envelope
}

/**
 * Accepts a call by its headers, before the body is read (F3). Throws `Refusal`: a caller without a valid envelope gets no other detail. The log has
 * the reason.
 */
export async function verifyCall(
  options: VerifyOptions,
  request: Pick<IncomingMessage, 'rawHeaders'>,
): Promise<AcceptedCall> {
  const token = readToken(request)
  const { envelope, launcher } = await verified(options, token)
  const { directory, replays, self } = options
  const refuse = refuser(options.log, envelope.from)
  const known = await directory.caller(envelope.registry, envelope.from, launcher.agentUid)
  if (known === undefined) throw refuse('no_member')
  if (!known.peer.inbound) throw refuse('not_allowed')
  if (known.peer.role !== envelope.role) throw refuse('role')
  if (!isPathOf(envelope)) throw refuse('path')
  if (envelope.path.includes(self)) throw new Refusal('cycle_detected')
  if (envelope.depth > Math.min(envelope.maxDepth, known.registry.maxDepth, MAX_AMP_DEPTH))
    throw new Refusal('depth_exceeded')
  const noted = replays.note(launcher.agentUid, envelope.id, (envelope.exp + ENVELOPE_SKEW_SECONDS) * 1000)
  if (noted !== 'new') throw refuse(noted)
  return { token, envelope }
}

/** Throws `Refusal` unless the body matches the digest in the envelope. */
export function checkBody({ token, envelope }: AcceptedCall, sent: PeerCallRequest): void {
  if (sent.envelope !== token) throw new Refusal('malformed_request', 'header and body have different envelopes')
  if (digestPayload(sent.payload) !== envelope.payloadDigest) throw new Refusal('caller_not_allowed')
}

// The legacy header is accepted without the new one; two different envelopes are not.
function readToken(request: Pick<IncomingMessage, 'rawHeaders'>): string {
  const sent = ENVELOPE_HEADERS.map((name) => singleHeader(request, name)).filter((text) => text !== undefined)
  const [token, other = token] = sent
  if (token === undefined) throw new Refusal('caller_not_allowed', 'An envelope is required.')
  if (token !== other) throw new Refusal('malformed_request', 'the headers have different envelopes')
  return token
}

async function verified({ self, issuer, log }: VerifyOptions, token: string): Promise<SignedEnvelope> {
  try {
    return await verifyEnvelope(token, issuer, { to: self })
  } catch (error) {
    throw error instanceof JwsRefused ? refuser(log, undefined)(error.reason) : error
  }
}

// An unverified name is not logged: anyone can send any.
function refuser(log: Logger, from: string | undefined): (reason: string) => Refusal {
  return (reason) => {
    log.warn({ reason, ...(from === undefined ? {} : { from }) }, 'call of another agent refused')
    return new Refusal('caller_not_allowed')
  }
}
