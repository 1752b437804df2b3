import type { AnyEndpoint } from '../endpoint/endpoint.ts'

const text = (description: string, more: object = {}) => ({ description, schema: { type: 'string', ...more } })

/** Request headers that a route may read, by name. */
const requestHeaders = {
  'If-Match': text('Only if the object still has this version: its `ETag`, in double quotes, or `*`.'),
  'If-None-Match': text('304 if the object still has this version.'),
  'Last-Event-ID': text('Continue after the event with this id; a browser sends it when it reconnects.'),
  'Idempotency-Key': text('A repeat with the same key returns the stored response.', { maxLength: 255 }),
}

/** Response headers in the components. */
export const responseHeaders = {
  ETag: text('Version of the object, for `If-Match`.'),
  Location: text('Path of the created object.'),
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: { type: 'integer' } },
  'X-Mesh-Run-Id': text('Id of the run that a stream belongs to.'),
}

/** Parameters of the request headers in the components. */
export function headerParameters(): Record<string, object> {
  const entries = Object.entries(requestHeaders).map(([name, header]) => [
    name,
    { name, in: 'header', required: false, ...header },
  ])
  return Object.fromEntries(entries) as Record<string, object>
}

/** References to the headers that an endpoint reads. */
export function headersReadBy({ docs, idempotent }: AnyEndpoint): readonly object[] {
  const names = [...(docs?.reads ?? []), ...(idempotent === true ? ['Idempotency-Key'] : [])]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

/** Headers of a successful response. */
export function headersSentBy({ docs }: AnyEndpoint, status: number): object {
  const names = [
    ...(status < 300 || status === 304 ? (docs?.sends ?? []) : []),
    ...(status === 201 ? ['Location'] : []),
  ]
  if (names.length === 0) return {}
  const entries = names.map((name) => [name, { $ref: `#/components/headers/${name}` }])
  return { headers: Object.fromEntries(entries) as Record<string, object> }
}
