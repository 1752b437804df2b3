import type { RequestListener } from 'node:http'
import { failure } from '../json/api-error.ts'
import { isLoopbackAuthority, requestTarget } from './request-target.ts'

/**
 * Refuses requests with a Host that is not a loopback address (421). A page that rebinds its DNS name to loopback must not read anything,
 * including the paths without authentication. For listeners on loopback only.
 */
export function guardHost(handler: RequestListener): RequestListener {
  return (request, response) => {
    if (isLoopbackAuthority(requestTarget(request).authority)) {
      handler(request, response)
      return
    }
    const { status } = failure({ code: 421, reason: 'MisdirectedRequest', message: 'Host: must be a loopback address' })
    response.writeHead(421, { 'Content-Type': 'application/json', Connection: 'close' })
    response.end(`${JSON.stringify(status)}\n`)
  }
}
