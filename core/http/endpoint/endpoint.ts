import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Access, Caller } from '#core/cluster/caller.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import type { DnsLabel, DnsName } from '#core/kube/names.ts'
import type { Cursors } from '#core/database/cursors.ts'
import type { StreamRegistry } from '../limits/stream-registry.ts'

/**
 * Where a review's namespace comes from; `field` may be dotted (`agent.namespace`). A body namespace is reviewed after the
 * body is validated. An absent or empty value is `default`, or cluster-wide, or without `absent` a 400.
 */
export type NamespaceFrom =
  | { readonly in: 'path' | 'query' | 'body'; readonly field: string; readonly absent?: 'default' | 'cluster' }
  | { readonly in: 'cluster' }

/**
 * How a route is authorized; required, the server refuses to boot without it.
 * `kube`: the upstream call is the check (the fields say which, for docs and the authorization matrix).
 * `review`: a SelfSubjectAccessReview on a virtual resource of our group; the handler gets its `Access`.
 * `row`: the namespace is that of a stored row; the handler reviews with `caller.review` (a caller that may not get it sees 404), or
 * the endpoint's own `review` does before it.
 */
export type Authz =
  | { readonly kind: 'kube'; readonly verb: string; readonly resource: string }
  | {
      readonly kind: 'review'
      readonly verb: string
      readonly resource: string
      readonly namespace: NamespaceFrom
      /** The field that holds the object's name, in the same part of the request as the namespace (`agent.name`). */
      readonly name?: string
    }
  | { readonly kind: 'row'; readonly verb: string; readonly resource: string }
  | { readonly kind: 'bearer' }
  | { readonly kind: 'owner' }
  | { readonly kind: 'shareToken' }

/** `{ns}`, `{namespace}` and `{name}` are parsed before anything else (K5); other parameters by their schema. */
export interface PathNames {
  readonly ns: DnsLabel
  readonly namespace: DnsLabel
  readonly name: DnsName
}

/**
 * The `Idempotency-Key` of a request as a hash with its caller and route, and a hash of what is asked for. A handler stores both
 * in the transaction of what it makes, so that a repeat after a lost answer finds it (ADR 0036).
 */
export interface Idempotency {
  readonly key: Buffer
  readonly request: Buffer
}

/** What a handler gets: everything parsed and typed. */
export interface Call<Params, Query, Body> {
  readonly params: Params & PathNames
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  /** Present for `review` routes and `row` routes with a `review`; throws when the route has none. */
  readonly access: Access
  /** Aborts when the client goes away or the server drains. */
  readonly signal: AbortSignal
  readonly traceparent: string
  readonly requestId: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Undefined without an `Idempotency-Key`, and where the route is not `idempotent`. */
  readonly idempotency: Idempotency | undefined
  /** Opaque, signed cursors bound to this route. */
  readonly cursors: Cursors
  /** The open streams of this server; `openEventStream` counts in it. */
  readonly streams: StreamRegistry
  /** The namespaces that the manager knows, for `scope=permitted`; undefined where nothing keeps them. */
  readonly directory: Directory | undefined
  /** Sets a response header or status; the value returned by `handle` is the body. */
  readonly reply: FastifyReply
  readonly request: FastifyRequest
}

/** Example bodies by name. */
export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** What only the OpenAPI document shows of a route. */
export interface EndpointDocs {
  readonly examples?: Examples
  /** Request headers that the handler reads; `Idempotency-Key` follows from `idempotent`. */
  readonly reads?: readonly ('If-Match' | 'If-None-Match' | 'Last-Event-ID')[]
  /** Headers of its successful answers; `Location` of a 201 is always there. */
  readonly sends?: readonly ('ETag' | 'Location' | 'X-Mesh-Run-Id')[]
  /** `data` of each server-sent event, where the 200 can be `text/event-stream`. */
  readonly events?: TSchema
}

/** One route as a plugin declares it. Method + path identify it; `url` is below `/api`, in Fastify form (`/agents/:ns/:name`). */
export interface Endpoint<P extends TSchema, Q extends TSchema, B extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  /** Name of the operation in the OpenAPI document, such as `listAgents`; default: made of method and path. */
  readonly id?: string
  readonly summary: string
  readonly docs?: EndpointDocs
  readonly authz: Authz
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** Body cap in bytes; default 1 MiB. */
  readonly bodyLimit?: number
  readonly response: Readonly<Record<number, TSchema>>
  /** Accepts `Idempotency-Key`: a repeat answers with the stored response. A `row` route then needs its `review`. */
  readonly idempotent?: boolean
  /** A server-sent-event or byte stream: no response schema, HEAD answers headers only. */
  readonly stream?: boolean
  /** The response waits for a run: counted to `limits.waitsPerCaller` instead of `limits.underWay`. */
  readonly waits?: boolean
  /**
   * Bad requests are not audited; denied and failed mutations are, by these names (default: from authz). `intent`: the act is seen
   * neither by an informer nor by a transaction of the store, so it is written down before it happens and its success after (A2).
   */
  readonly audit?: { readonly action: string; readonly resourceKind: string; readonly intent?: true }
  /** The review of a `row` route, asked before every answer, a stored one too; the handler gets what it proves as `access`. */
  review?(call: Call<Static<P>, Static<Q>, Static<B>>): Promise<Access>
  handle(call: Call<Static<P>, Static<Q>, Static<B>>): Promise<unknown>
  /** Handles an `application/yaml` body, given as text of at most 256 KiB; without it such a body is a 415. */
  handleYaml?(call: Call<Static<P>, Static<Q>, string>): Promise<unknown>
}

/** A declared route with its types erased, as the server mounts it. */
export type AnyEndpoint = Endpoint<TSchema, TSchema, TSchema>

/** Declares an endpoint; the types of params, query and body follow from its schemas. */
export function endpoint<P extends TSchema = TSchema, Q extends TSchema = TSchema, B extends TSchema = TSchema>(
  declared: Endpoint<P, Q, B>,
): AnyEndpoint {
  return declared
}
