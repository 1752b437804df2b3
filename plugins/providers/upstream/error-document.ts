import { asObject } from '#core/json/is-object.ts'

/** The JSON of an error response, the first of a list; undefined for any other body. */
export function errorDocument(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return Array.isArray(value) ? value[0] : value
  } catch {
    return undefined
  }
}

/** Whether a response says that the key is wrong. Google's APIs say so with 400 and a reason (google.rpc.ErrorInfo). */
export function refusesKey(status: number, body: Buffer): boolean {
  if (status === 401 || status === 403) return true
  if (status !== 400) return false
  const { details } = asObject(asObject(errorDocument(body)).error)
  return Array.isArray(details) && details.some((detail) => asObject(detail).reason === 'API_KEY_INVALID')
}
