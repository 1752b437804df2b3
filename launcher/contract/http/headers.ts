import type { IncomingMessage } from 'node:http'
import { Refusal } from './refusal.ts'

/** A request. A look-up in its parsed headers shows cheaply that a header is absent. */
type Headed = Pick<IncomingMessage, 'rawHeaders'> & Partial<Pick<IncomingMessage, 'headers'>>

/** All values of a header: Node keeps the first of some duplicates and joins others. */
export function valuesOf({ rawHeaders, headers }: Headed, name: string): string[] {
  if (headers !== undefined && headers[name] === undefined) return []
  return rawHeaders.filter((_, index, raw) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name)
}

/** The value of a header, or undefined. Throws `Refusal` if it was sent more than once. */
export function singleHeader(request: Headed, name: string): string | undefined {
  const values = valuesOf(request, name)
  if (values.length > 1) throw new Refusal('malformed_request', `${name} was sent more than once`)
  return values[0]
}
