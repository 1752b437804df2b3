import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Access, Caller } from '#core/cluster/caller.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import type { DnsLabel, DnsName } from '#core/kube/names.ts'
import type { Cursors } from '#core/database/cursors.ts'
import type { StreamRegistry } from '../limits/stream-registry.ts'

/**
 * Source of the namespace to review; `field` may be dotted (`agent.namespace`). A namespace in the body is reviewed after the body is
 * validated. An absent or empty value means `default`, or cluster-wide, or a 400 without `absent`.
 */
export type NamespaceFrom =
  | { readonly in: 'path' | 'query' | 'body'; readonly field: string; readonly absent?: 'default' | 'cluster' }
  | { readonly in: 'cluster' }

/**
 * Authorization of a route, required at startup.
 * `kube`: the upstream call is the check; the fields document it, also for the authorization matrix.
 * `review`: a SelfSubjectAccessReview of a virtual resource of our group; the handler receives its `Access`.
 * `row`: the namespace is that of a stored row. The handler reviews with `caller.review` (404 for a caller without access), or the
 * endpoint's own `review` does so before it.
 */
export type Authz =
  | { readonly kind: 'kube'; readonly verb: string; readonly resource: string }
  | {
      readonly kind: 'review'
      readonly verb: string
      readonly resource: string
      readonly namespace: NamespaceFrom
      /** Field with the object's name, in the same part of the request as the namespace (`agent.name`). */
      readonly name?: string
    }
  | { readonly kind: 'row'; readonly verb: string; readonly resource: string }
  | { readonly kind: 'bearer' }
  | { readonly kind: 'owner' }
  | { readonly kind: 'shareToken' }

/** `{ns}`, `{namespace}` and `{name}` are parsed first (K5); other parameters by their schema. */
export interface PathNames {
  readonly ns: DnsLabel
  readonly namespace: DnsLabel
  readonly name: DnsName
}

/**
 * `Idempotency-Key` of a request as a hash with its caller and route, and a hash of the request. A handler stores both in its transaction,
 * so that a repeat after a lost response finds the result (ADR 0036).
 */
export interface Idempotency {
  readonly key: Buffer
  readonly request: Buffer
}

/** Parsed and typed input of a handler. */
export interface Call<Params, Query, Body> {
  readonly params: Params & PathNames
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  /** Set for `review` routes and `row` routes with a `review`; reading it on other routes throws. */
  readonly access: Access
  /** Aborts when the client disconnects or the server drains. */
  readonly signal: AbortSignal
  readonly traceparent: string
  readonly requestId: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Undefined without an `Idempotency-Key`, and unless the route is `idempotent`. */
  readonly idempotency: Idempotency | undefined
  /** Opaque, signed cursors of this route. */
  readonly cursors: Cursors
  /** Open streams of this server, counted by `openEventStream`. */
  readonly streams: StreamRegistry
  /** Namespaces known to the manager, for `scope=permitted`; undefined without a directory. */
  readonly directory: Directory | undefined
  /** Sets a response header or status; the value returned by `handle` is the body. */
  readonly reply: FastifyReply
  readonly request: FastifyRequest
}

/** Example bodies by name. */
export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** Parts of a route that only the OpenAPI document uses. */
export interface EndpointDocs {
  readonly examples?: Examples
  /** Request headers that the handler reads; `Idempotency-Key` is implied by `idempotent`. */
  readonly reads?: readonly ('If-Match' | 'If-None-Match' | 'Last-Event-ID')[]
  /** Headers of successful responses; `Location` of a 201 is implied. */
  readonly sends?: readonly ('ETag' | 'Location' | 'X-Mesh-Run-Id')[]
  /** Schema of `data` of each server-sent event, if the 200 can be `text/event-stream`. */
  readonly events?: TSchema
}

/** One route, as declared by a plugin. Method and path identify it; `url` is relative to `/api`, in Fastify form (`/agents/:ns/:name`). */
export interface Endpoint<P extends TSchema, Q extends TSchema, B extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  /** Operation id in the OpenAPI document, such as `listAgents`; default: derived from method and path. */
  readonly id?: string
  readonly summary: string
  readonly docs?: EndpointDocs
  readonly authz: Authz
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** Limit of the body in bytes; default 1 MiB. */
  readonly bodyLimit?: number
  readonly response: Readonly<Record<number, TSchema>>
  /** Accepts `Idempotency-Key`: a repeat returns the stored response. A `row` route then needs its `review`. */
  readonly idempotent?: boolean
  /** A server-sent-event or byte stream: no response schema, and HEAD returns headers only. */
  readonly stream?: boolean
  /** The response waits for a run, and counts for `limits.waitsPerCaller` instead of `limits.underWay`. */
  readonly waits?: boolean
  /**
   * Names under which denied and failed mutations are audited (default: from authz); invalid requests are not. `intent`: neither an
   * informer nor a transaction of the store records the act, so an intent is stored before it and its success after (A2).
   */
  readonly audit?: { readonly action: string; readonly resourceKind: string; readonly intent?: true }
  /** Review of a `row` route, made before every response including stored ones. The handler receives the proof as `access`. */
  review?(call: Call<Static<P>, Static<Q>, Static<B>>): Promise<Access>
  handle(call: Call<Static<P>, Static<Q>, Static<B>>): Promise<unknown>
  /** Handles an `application/yaml` body, given as text of at most 256 KiB. Without it such a body is a 415. */
  handleYaml?(call: Call<Static<P>, Static<Q>, string>): Promise<unknown>
}

/** A declared route with erased types, as the server mounts it. */
export type AnyEndpoint = Endpoint<TSchema, TSchema, TSchema>

/** Declares an endpoint. Types of params, query and body are inferred from its schemas. */
export function endpoint<P extends TSchema = TSchema, Q extends TSchema = TSchema, B extends TSchema = TSchema>(
  declared: Endpoint<P, Q, B>,
): AnyEndpoint {
  return declared
}
