import { Type } from 'typebox'
import type { TUnsafe } from 'typebox'
import type { Schema } from '#schemas/wire/schema.ts'
import type { StatePath } from '#schemas/wire/state-path.ts'

/** A wire schema as the server checks it: JSON Schema with the type of its value. */
export function toTypebox<T>({ json }: Schema<T>): TUnsafe<T> {
  return Type.Unsafe<T>(json)
}

/**
 * Method, path, body and response of a route of the state role, from the value that the launcher calls with:
 * `endpoint({ ...stateRoute(score), summary, authz, handle })`. A route may name more responses, such as a 304.
 */
export function stateRoute<Url extends string, Request, Response>({
  method,
  path,
  request,
  status,
  response,
}: StatePath<Url, Request, Response>) {
  return {
    method,
    url: path,
    ...(request === undefined ? {} : { body: toTypebox(request) }),
    response: { [status]: toTypebox(response) },
  }
}
