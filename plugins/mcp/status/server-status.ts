import { toConditions } from '#core/controllers/conditions.ts'
import type { ConditionValue } from '#core/controllers/conditions.ts'
import type { McpServerObject, McpServerStatus } from '#schemas/crds/mcp-server.ts'
import type { McpFailure, McpFailureReason } from '../client/mcp-failure.ts'
import type { FoundCredential } from '../client/credential.ts'
import type { Discovery } from '../discovery/discover.ts'
import { pinManifest } from '../manifest/pin-manifest.ts'
import type { PinnedManifest } from '../manifest/pin-manifest.ts'

/** Findings about a server. */
export interface ServerFindings {
  readonly credential: FoundCredential
  /** Undefined while the manifest is read for the first time. */
  readonly discovery: Discovery | undefined
  /** Approved digests with their approvers; undefined where no approval is required. */
  readonly approved: ReadonlyMap<string, string> | undefined
  readonly now: Date
}

const reasons = {
  address_refused: 'AddressRefused',
  https_required: 'HttpsRequired',
  invalid_url: 'InvalidUrl',
  name_not_found: 'NameNotFound',
  connection_refused: 'ConnectionRefused',
  connection_lost: 'ConnectionLost',
  unreachable: 'Unreachable',
  tls_error: 'TlsError',
  timeout: 'Timeout',
  redirect_refused: 'RedirectRefused',
  too_large: 'TooLarge',
  failed: 'Failed',
  unauthorized: 'Unauthorized',
  not_mcp: 'NotMcp',
  too_many_requests: 'TooManyRequests',
  invalid_manifest: 'InvalidManifest',
} as const satisfies Record<McpFailureReason, string>

/** Status of a server. A failed discovery keeps the accepted tools, but the server is not Ready. Pure. */
export function toServerStatus(server: McpServerObject, found: ServerFindings): McpServerStatus {
  const { discovery, approved } = found
  const read = discovery !== undefined && 'manifest' in discovery ? discovery : undefined
  const pinned = pinManifest({
    spec: server.spec,
    status: server.status,
    offered: read?.manifest,
    approved,
  })
  const { accepted, proposed } = pinned
  const protocolVersion = read?.protocolVersion ?? server.status?.protocolVersion
  const { failedCall } = server.status ?? {}
  const approver = accepted && approved?.get(accepted.digest)
  const values = [...conditionsOf(server, found, pinned), callsOf(failedCall)]
  return {
    observedGeneration: server.metadata.generation ?? 0,
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(accepted === undefined ? {} : { manifestDigest: accepted.digest }),
    ...(approver === undefined ? {} : { approvedBy: approver }),
    toolCount: accepted?.tools.length ?? 0,
    tools: [...(accepted?.tools ?? [])],
    ...(proposed === undefined
      ? {}
      : { proposed: { digest: proposed.digest, changes: proposed.changes, tools: [...proposed.tools] } }),
    ...(failedCall === undefined ? {} : { failedCall }),
    conditions: toConditions(server, values, found.now),
  }
}

function conditionsOf(
  server: McpServerObject,
  found: ServerFindings,
  pinned: PinnedManifest,
): readonly ConditionValue[] {
  const first = [
    resolvedOf(found.credential),
    discoveredOf(server, found.discovery),
    manifestOf(pinned, found.approved),
  ]
  const broken = first.find(({ status, reason }) => status !== 'True' && reason !== DRIFTED)
  if (broken !== undefined) return [...first, { ...broken, type: 'Ready' }]
  const isDrifted = first.some(({ reason }) => reason === DRIFTED)
  const ready: ConditionValue = isDrifted
    ? {
        type: 'Ready',
        status: 'True',
        reason: DRIFTED,
        message: 'The accepted tools that have not changed can be used.',
      }
    : { type: 'Ready', status: 'True', reason: 'Ready', message: 'The accepted tools can be used.' }
  return [...first, ready]
}

function resolvedOf(credential: FoundCredential): ConditionValue {
  if ('reason' in credential) return { type: 'ResolvedRefs', status: 'False', ...credential }
  return { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs', message: 'Every reference was found.' }
}

function discoveredOf({ spec }: McpServerObject, discovery: Discovery | undefined): ConditionValue {
  const type = 'Discovered'
  if (discovery === undefined)
    return { type, status: 'Unknown', reason: 'InProgress', message: 'The manifest is being read.' }
  if ('failure' in discovery && spec.auth?.kind === 'oauth' && discovery.failure.reason === 'unauthorized')
    return { type, status: 'Unknown', reason: 'GrantRequired', message: 'The server waits for the grant of a person.' }
  if ('failure' in discovery) return { type, status: 'False', ...ofFailure(discovery.failure) }
  return { type, status: 'True', reason: 'Discovered', message: 'The manifest was read.' }
}

// Not part of Ready: a call may fail because of its arguments, and the next one may succeed.
function callsOf(failed: McpServerStatus['failedCall']): ConditionValue {
  const type = 'CallsSucceed'
  if (failed === undefined)
    return {
      type,
      status: 'True',
      reason: 'NoFailure',
      message: 'No call has failed since the last one that succeeded.',
    }
  const message = `The call of ${failed.tool} at ${failed.time} failed.`
  return { type, status: 'False', reason: failed.reason, message }
}

function ofFailure({ reason, message }: McpFailure): { readonly reason: string; readonly message: string } {
  return { reason: reasons[reason], message }
}

// Calls of tools that have not changed still succeed.
const DRIFTED = 'Drifted'

function manifestOf({ accepted, proposed }: PinnedManifest, approved: ServerFindings['approved']): ConditionValue {
  const type = 'ManifestAccepted'
  if (proposed !== undefined) {
    const reason = accepted === undefined ? (approved === undefined ? 'NotAccepted' : 'NotApproved') : DRIFTED
    const what = accepted === undefined ? 'The manifest was' : 'The server offers different tools, which were'
    const how =
      approved === undefined
        ? `not accepted: set spec.acceptedManifest to ${proposed.digest}.`
        : `not approved: another person than its author approves ${proposed.digest}. spec.acceptedManifest has no effect.`
    return { type, status: 'False', reason, message: `${what} ${how}` }
  }
  if (accepted === undefined)
    return {
      type,
      status: 'Unknown',
      reason: 'NoManifest',
      message: 'No manifest has been read that could be accepted.',
    }
  return { type, status: 'True', reason: 'Accepted', message: 'The server offers the accepted tools.' }
}
