import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Caller } from '#core/cluster/caller.ts'
import type { FileBody } from '../input/body.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import type { Cursors } from '#core/database/cursors.ts'
import type { Note } from '#core/telemetry/trace-context.ts'
import type { StreamRegistry } from '../limits/stream-registry.ts'
import type { AccessOf, Authz } from './authz.ts'
import type { ParamsOf, PathNames } from './path-params.ts'
import type { Reply } from './reply.ts'
import type { WireError } from '../problem/error-format.ts'
import type { ProblemResponse } from '../problem/problem.ts'

/**
 * `Idempotency-Key` of a request as a hash with its caller and route, and a hash of the request. A handler stores both in its transaction,
 * so that a repeat after a lost response finds the result (ADR 0036).
 */
export interface Idempotency {
  readonly key: Buffer
  readonly request: Buffer
}

/** Parsed and typed input of a handler. */
export interface Call<Params, Query, Body, Granted = unknown> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  /** Bearer of the request; reading it on a route without one throws. */
  readonly bearer: string
  /** Id of the browser session that the request came with; undefined for a bearer. */
  readonly session: string | undefined
  /** Set for `review` and `token` routes, and `row` routes with a `review`; reading it on other routes throws. */
  readonly access: Granted
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
  /** Adds attributes to the span of the request: names and numbers, never content. */
  readonly note: Note
  /** Sets a response header or status; the value returned by `handle` is the body. */
  readonly reply: Reply
  readonly request: FastifyRequest
}

/** A call with erased types, as the server creates it. */
export type AnyCall = Call<PathNames, unknown, unknown>

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
  /** Media type of the 200 if the handler can return a `TextAnswer` instead of JSON, such as `text/csv`, and an example of it. */
  readonly text?: { readonly type: string; readonly example: string }
  /** Example of the success body; default: one built from the examples of its schema. */
  readonly response?: unknown
}

/**
 * One route, as declared by a plugin. Method and path identify it; `url` is relative to `/api`, or to the root of other roles:
 * `/agents/:ns/:name`. A path may end with `/*`, whose parameter `*` has the rest.
 */
export interface Endpoint<
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  A extends Authz = Authz,
  U extends string = string,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: U
  /** Operation id in the OpenAPI document, such as `listAgents`; default: derived from method and path. */
  readonly id?: string
  readonly summary: string
  readonly docs?: EndpointDocs
  readonly authz: A
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** Limit of the body in bytes; default 1 MiB. */
  readonly bodyLimit?: number
  readonly response: Readonly<Record<number, TSchema>>
  /**
   * Accepts `Idempotency-Key`: a repeat returns the stored response. A `row` route then needs its `review`. The handler of a route for agents
   * stores `call.idempotency` with its act.
   */
  readonly idempotent?: boolean
  /** A server-sent-event or byte stream: no response schema, and HEAD returns headers only. */
  readonly stream?: boolean
  /** The response waits for a run, and counts for `limits.waitsPerCaller` instead of `limits.underWay`. */
  readonly waits?: boolean
  /**
   * Names under which denied and failed mutations are audited (default: from `authz`, or from the first check of `all`); invalid requests are
   * not. `intent`: neither an informer nor a transaction of the store records the act, so an intent is stored before it and its success after
   * (A2).
   */
  readonly audit?: { readonly action: string; readonly resourceKind: string; readonly intent?: true }
  /**
   * Writes errors for clients that expect something other than problem+json; `body` is that of the request, undefined if it was not read. A
   * 401 is the same for every route (D3).
   */
  writeError?(answer: ProblemResponse, body: unknown): WireError
  /** Review of a `row` route, made before every response including stored ones. The handler receives the proof as `access`. */
  review?(call: Call<ParamsOf<U, Static<P>>, Static<Q>, Static<B>>): Promise<AccessOf<A>>
  handle(call: Call<ParamsOf<U, Static<P>>, Static<Q>, Static<B>, AccessOf<A>>): Promise<unknown>
  /** Handles an `application/yaml` body, given as a string of at most 256 KiB. Without it such a body is a 415. */
  handleYaml?(call: Call<ParamsOf<U, Static<P>>, Static<Q>, string, AccessOf<A>>): Promise<unknown>
  /** Media types without parameters that `handleFile` accepts, up to `bodyLimit`; JSON then is at most 1 MiB. */
  readonly fileTypes?: readonly string[]
  /** Handles a body of `fileTypes`, given as its bytes. */
  handleFile?(call: Call<ParamsOf<U, Static<P>>, Static<Q>, FileBody, AccessOf<A>>): Promise<unknown>
}

/** A declared route with erased types, as the server mounts it. */
export type AnyEndpoint = Endpoint<TSchema, TSchema, TSchema>

/** Declares an endpoint. Types of path, query and body follow from `url` and the schemas, that of `call.access` from `authz`. */
export function endpoint<
  const A extends Authz,
  const U extends string,
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
>(declared: Endpoint<P, Q, B, A, U>): AnyEndpoint {
  // The server passes what the readers of this url and these schemas have parsed.
  return declared as AnyEndpoint
}
