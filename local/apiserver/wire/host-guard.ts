import type { RequestListener } from 'node:http'
import { failure } from '../json/api-error.ts'
import { isLoopbackAuthority, requestTarget } from './request-target.ts'

/**
 * Refuses, with 421, requests under a name that is not this machine's: a page that rebinds its DNS name to loopback
 * must read nothing, not even what needs no bearer (`/version`, `/readyz`). For listeners bound to loopback only.
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
