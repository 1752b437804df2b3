import type { AgentName } from '../names/delegates.ts'

/** Largest payload of a call between agents, and of its answer, in bytes. */
export const MAX_AMP_PAYLOAD = 1024 * 1024

/** Maximum length of a chain of calls, from the first agent. */
export const MAX_AMP_DEPTH = 8

/** Headers of an envelope; the second is the one of earlier clients. Both are always sent. */
export const ENVELOPE_HEADERS = ['x-amp-envelope', 'x-a2a-envelope'] as const

/** Claims of the envelope of a call between agents: an EdDSA JWS signed by the launcher of the calling agent, at most 4 KiB. */
export interface Envelope {
  readonly typ: 'mesh-amp'
  readonly iat: number
  /** Seconds since the epoch, as `iat`. */
  readonly exp: number
  readonly v: 1
  /** UUID; a second call with it is a replay. */
  readonly id: string
  /** `namespace/name` of the registry. */
  readonly registry: string
  /** `namespace/name` of the calling agent, and of the called one. */
  readonly from: string
  readonly to: string
  /** Role of the calling agent in the registry. */
  readonly role: string
  /** For whom the call is made, which account makes it, and what it may do. */
  readonly access: { readonly subject: string; readonly actor: string; readonly scopes: readonly string[] }
  /** Number of agents in `path`. */
  readonly depth: number
  readonly maxDepth: number
  /** Agents (`namespace/name`) from the first one to the caller. */
  readonly path: readonly string[]
  /** What is left of the budgets of the calling run; null: none applies. */
  readonly budget: { readonly remaining: string; readonly currency: string } | null
  /** RFC 3339: the called run has ended by then. */
  readonly deadline: string
  readonly conversationId: string | null
  readonly rootRunId: string | null
  /** Calling run; null: the agent calls for itself. */
  readonly parentRunId: string | null
  /** A second call with it finds the run of the first one. */
  readonly idempotencyKey: string
  /** SHA-256 of the canonical JSON of the payload, base64url. */
  readonly payloadDigest: string
  /** Certificate of the launcher that signs. */
  readonly certificate: string
}

/** Body of `POST {STATE_URL}/amp/calls`, sent by the launcher of the called agent: creates the run. Response: 201 with the run. */
export interface PeerCallRequest {
  readonly envelope: string
  readonly payload: unknown
}

/** An agent that shares a registry with the asking one. */
export interface Peer extends AgentName {
  readonly role: string
  /** Whether the asking agent may call it, and whether it may call the asking agent. */
  readonly outbound: boolean
  readonly inbound: boolean
  /** Base URL of its inbound listener; absent while it has none. */
  readonly url?: string
  /** Its certificates name this uid: a re-created agent of the same name has another. */
  readonly uid: string
}

/** A registry as one of its members sees it. */
export interface PeerRegistry {
  /** `namespace/name`. */
  readonly id: string
  /** Role of the asking agent. */
  readonly role: string
  readonly maxDepth: number
  /** Other members. Names of those with `outbound` are unique: the namespace of the asking agent goes first, an ambiguous name has none. */
  readonly peers: readonly Peer[]
}

/** Response of `GET {STATE_URL}/amp/directory`. */
export interface PeerDirectory {
  readonly registries: readonly PeerRegistry[]
}

/** `namespace/name` of an agent. */
export function agentPath({ namespace, name }: AgentName): string {
  return `${namespace}/${name}`
}

/** Parses `namespace/name` of DNS labels; undefined for other texts. */
export function parseAgentPath(text: string): AgentName | undefined {
  const [namespace = '', name = '', ...rest] = text.split('/')
  return rest.length === 0 && isDnsLabel(namespace) && isDnsLabel(name) ? { namespace, name } : undefined
}

/** Whether a text is a DNS label (RFC 1123), in lowercase. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text)
}
