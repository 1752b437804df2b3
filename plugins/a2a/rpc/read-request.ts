import type { TSchema, Static } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { checkOf } from '#core/validation/validate.ts'
import { isObject } from '#core/json/is-object.ts'
import { a2aErrors } from '../contract/errors.ts'

/** A request of JSON-RPC 2.0. */
export interface RpcRequest {
  readonly id: string | number
  readonly method: string
  readonly params: unknown
}

/** The id of a request; undefined if it has none that can be sent back. */
export function readRpcId(body: unknown): string | number | undefined {
  const id = isObject(body) ? body['id'] : undefined
  if (typeof id === 'string' && id.length <= 256) return id
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined
}

/** Reads a request. Batches are not part of A2A, and a notification would have no response. Throws `a2a_invalid_request`. */
export function readRpcRequest(body: unknown): RpcRequest {
  if (Array.isArray(body)) throw invalid('', 'must be one request: batches are not supported')
  if (!isObject(body)) throw invalid('', 'must be an object')
  if (body['jsonrpc'] !== '2.0') throw invalid('/jsonrpc', 'must be 2.0')
  const id = readRpcId(body)
  if (id === undefined) throw invalid('/id', 'must be a string of at most 256 characters or a whole number')
  const { method, params = {} } = body
  if (typeof method !== 'string' || method.length > 128) throw invalid('/method', 'must be the name of a method')
  return { id, method, params }
}

function invalid(pointer: string, detail: string): Fail {
  return new Fail(a2aErrors.a2a_invalid_request, undefined, { errors: [{ pointer, detail }] })
}

/** Creates a reader of parameters. It throws `a2a_invalid_params`. */
export function methodParamsReader<S extends TSchema>(schema: S): (params: unknown) => Static<S> {
  const check = checkOf(schema)
  return (params) => {
    const errors = check(params)
    if (errors.length === 0) return params as Static<S>
    throw new Fail(a2aErrors.a2a_invalid_params, undefined, {
      errors: errors.map(({ pointer, detail }) => ({ pointer: `/params${pointer}`, detail })),
    })
  }
}

/** A refusal of one parameter. */
export function invalidParam(pointer: string, detail: string): Fail {
  return new Fail(a2aErrors.a2a_invalid_params, undefined, { errors: [{ pointer: `/params${pointer}`, detail }] })
}
