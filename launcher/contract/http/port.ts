import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PortName } from '#schemas/launcher/launcher-ports.ts'
import type { Refusal, RefusalCode } from './refusal.ts'
import type { Schema } from '#schemas/wire/schema.ts'

/** How the body of a request is read: JSON of a schema, bytes of at most `bodyLimit`, or chunks as they arrive. */
export type Body = Schema<unknown> | 'bytes' | 'stream'

/** Response bodies by status; null: no body. */
export type Responses = Readonly<Record<number, Schema<unknown> | null>>

/** What a route accepts and returns. docs/reference/launcher-ports.md is generated from it. */
export interface RouteContract {
  readonly method: 'GET' | 'POST'
  /** Path; `:name` matches one segment. */
  readonly path: string
  readonly summary: string
  readonly body?: Body
  readonly responses: Responses
  /** Media type of a response that the handler writes itself, with `streamed` as its result. */
  readonly stream?: string
  /** Refusals of the handler; those of every listener are left out. */
  readonly refusals?: readonly RefusalCode[]
}

type Names<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type BodyOf<R extends RouteContract> = R extends { readonly body: infer B }
  ? B extends Schema<infer T>
    ? T
    : B extends 'bytes'
      ? Buffer
      : AsyncIterable<Buffer>
  : undefined

/** A request to a route. */
export interface Call<R extends RouteContract = RouteContract> {
  readonly request: IncomingMessage
  /** Written by a handler that streams; others return a reply. */
  readonly response: ServerResponse
  readonly params: Readonly<Record<Names<R['path']>, string>>
  readonly query: URLSearchParams
  /** Reads and parses the body. A handler that authenticates does so first. Throws `Refusal`. */
  body(): Promise<BodyOf<R>>
}

/** Result of a handler that has written or will write the response itself. */
export const streamed = 'streamed' as const

/** A response: one of the route's statuses with its body. */
export type Reply<R extends RouteContract> = {
  readonly [S in keyof R['responses']]: {
    readonly status: S
    readonly headers?: Readonly<Record<string, string>>
  } & (R['responses'][S] extends Schema<infer T> ? { readonly body: T } : { readonly body?: undefined })
}[keyof R['responses']]

type Result<R extends RouteContract> = Reply<R> | (R extends { readonly stream: string } ? typeof streamed : never)

/** Handlers of a port by the names of its routes. */
export type Handlers<R extends Readonly<Record<string, RouteContract>>> = {
  readonly [Name in keyof R]: (call: Call<R[Name]>) => Result<R[Name]> | Promise<Result<R[Name]>>
}

/** Contract of a listener. */
export interface PortContract<
  R extends Readonly<Record<string, RouteContract>> = Readonly<Record<string, RouteContract>>,
> {
  /** Row of the table of reserved ports: number, variable and address. */
  readonly name: PortName
  readonly routes: R
  /** Maximum size of a body in bytes. */
  readonly bodyLimit: number
  /** Media types of bodies (`application/json`). */
  readonly mediaTypes?: readonly string[]
  /** Body of a refusal, for a port with the errors of another API; default: `{error, message}`. `target` is the request's. */
  readonly refusalBody?: (refusal: Refusal, target: string) => object
  /** `h2`: HTTP/2 without TLS on loopback, as gRPC requires. */
  readonly protocol?: 'http/1.1' | 'h2'
}

/** A route with its handler. */
export interface Route extends RouteContract {
  handle(call: Call): unknown
}

/** A port with its handlers, ready to listen. */
export interface ServedPort {
  readonly port: PortContract
  readonly routes: readonly Route[]
}

/** Joins routes with their handlers. */
export function serveRoutes<const R extends Readonly<Record<string, RouteContract>>>(
  routes: R,
  handlers: Handlers<R>,
): readonly Route[] {
  return Object.entries(routes).map(([name, route]) => ({ ...route, handle: handlers[name] as Route['handle'] }))
}

/** Defines a port; its type checks the handlers. */
export function definePort<const R extends Readonly<Record<string, RouteContract>>>(contract: PortContract<R>) {
  return {
    ...contract,
    /** Joins the routes with their handlers. */
    serve(handlers: Handlers<R>): ServedPort {
      return { port: contract, routes: serveRoutes(contract.routes, handlers) }
    },
  }
}
