import type { Schema } from './schema.ts'

/**
 * A path of the state role. Its route is declared with this value and the launcher calls with it, so that both ends share method, path and schemas
 * (house rule 5).
 */
export interface StatePath<Url extends string = string, Request = unknown, Response = unknown> {
  readonly method: 'GET' | 'POST'
  /** `:name` matches one segment. */
  readonly path: Url
  /** Body of a request; undefined: none. */
  readonly request?: Schema<Request>
  /** Status of a successful response. */
  readonly status: 200 | 201 | 202 | 204
  /** Body of a successful response; the body of a 204 is never read. */
  readonly response: Schema<Response>
}

/** Names of the parameters of a path. */
export type ParamNames<Url extends string> = Url extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Url extends `${string}:${infer Name}`
    ? Name
    : never

/** Values of the parameters of a path. */
export type PathParams<Url extends string> = Readonly<Record<ParamNames<Url>, string>>

/** Defines a path. */
export function statePath<const Url extends string, const Path extends Omit<StatePath, 'path'>>(
  path: Path & { readonly path: Url },
): Path & { readonly path: Url } {
  return path
}

/** The target of a request: encoded parameters and query. A parameter of `undefined` in the query is left out. */
export function requestTarget(
  { path }: Pick<StatePath, 'path'>,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const filled = path.replaceAll(/:([A-Za-z]+)/g, (_, name: string) => encode(params[name] ?? ''))
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return filled
  return `${filled}?${given.map(([name, value]) => `${name}=${encode(String(value))}`).join('&')}`
}

// `encodeURIComponent` throws for a lone surrogate.
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
