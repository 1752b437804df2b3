import type { IncomingHttpHeaders } from 'node:http'
import { Fail } from '#core/errors/domain-error.ts'
import type { UsableRoute } from '../route/usable-route.ts'
import type { GatewayCall } from '../request/gateway-call.ts'

type Headers = Readonly<Record<string, string>>

const maxValue = 1024
// Node.js refuses line breaks and NUL itself; Latin-1 and control characters have no agreed meaning.
const visible = /^[\t\x20-\x7e]*$/

/**
 * The headers of a request that its route passes to providers. Refuses a header that is given twice, that the connection names as its own
 * (RFC 9110, section 7.6.1), or whose value another server could read as a second header.
 */
export function readPassedHeaders(call: Pick<GatewayCall, 'header' | 'given'>, { spec }: UsableRoute): Headers {
  const { passHeaders = [] } = spec
  if (passHeaders.length === 0) return {}
  const ofConnection = connectionHeaders(call.given)
  const passed: Record<string, string> = {}
  for (const name of passHeaders) {
    const value = call.header(name)
    if (value === undefined) continue
    if (ofConnection.has(name)) throw refused(name, 'is named by the header Connection')
    if (value.length > maxValue) throw refused(name, `must be at most ${maxValue} characters`)
    if (!visible.test(value)) throw refused(name, 'must be visible ASCII characters')
    passed[name] = value
  }
  return passed
}

function connectionHeaders({ connection = '' }: IncomingHttpHeaders): ReadonlySet<string> {
  return new Set(
    connection
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  )
}

function refused(name: string, detail: string): Fail {
  return new Fail('malformed_request', `The header ${name} ${detail}.`, { errors: [{ pointer: name, detail }] })
}
