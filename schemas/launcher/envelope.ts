import type { AgentName } from '../names/delegates.ts'

/** Maximum payload of a call between agents, and of its response, in bytes. */
export const MAX_AMP_PAYLOAD = 1024 * 1024

/** Maximum length of a chain of calls, from the first agent. */
export const MAX_AMP_DEPTH = 8

/** Headers of an envelope; the second is for earlier clients. Both are always sent. */
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
  /** Subject of the call, the account that makes it, and its scopes. */
  readonly access: { readonly subject: string; readonly actor: string; readonly scopes: readonly string[] }
  /** Number of agents in `path`. */
  readonly depth: number
  readonly maxDepth: number
  /** Agents (`namespace/name`) from the first one to the caller. */
  readonly path: readonly string[]
  /** Remaining budget of the calling run; null: no budget applies. */
  readonly budget: { readonly remaining: string; readonly currency: string } | null
  /** RFC 3339 time by which the called run must have ended. */
  readonly deadline: string
  readonly conversationId: string | null
  readonly rootRunId: string | null
  /** Calling run; null: the agent calls on its own behalf. */
  readonly parentRunId: string | null
  /** A second call with the same key returns the run of the first one. */
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

/** An agent that shares a registry with the requesting agent. */
export interface Peer extends AgentName {
  readonly role: string
  /** Whether the requesting agent may call this peer, and whether the peer may call it. */
  readonly outbound: boolean
  readonly inbound: boolean
  /** Base URL of its inbound listener; absent while it has none. */
  readonly url?: string
  /** Uid in its certificates: a re-created agent of the same name has another uid. */
  readonly uid: string
}

/** A registry as one of its members sees it. */
export interface PeerRegistry {
  /** `namespace/name`. */
  readonly id: string
  /** Role of the requesting agent. */
  readonly role: string
  readonly maxDepth: number
  /**
   * Other members. Names of those with `outbound` are unique: the namespace of the requesting agent takes precedence, and other ambiguous names are
   * absent.
   */
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

/** Parses `namespace/name` of DNS labels; undefined for other strings. */
export function parseAgentPath(text: string): AgentName | undefined {
  const [namespace = '', name = '', ...rest] = text.split('/')
  return rest.length === 0 && isDnsLabel(namespace) && isDnsLabel(name) ? { namespace, name } : undefined
}

/** Whether a string is a DNS label (RFC 1123), in lowercase. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text)
}
