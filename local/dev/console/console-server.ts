import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fail } from '#core/errors/domain-error.ts'
import { toProblemResponse } from '#core/http/problem/problem.ts'
import { securityHeaders } from '#core/http/problem/security-headers.ts'
import { isLocalRequest, listenOnLoopback } from '../front/loopback-server.ts'
import type { LoopbackServer } from '../front/loopback-server.ts'
import type { FoundConsole } from './find-console.ts'
import { sendSession } from './local-session.ts'
import { passRequest } from './pass-request.ts'
import type { ConsoleTarget } from './pass-request.ts'
import { sendFolderFile } from './send-file.ts'

/** The console, and the platform that it shows, undefined until that has started. */
export interface ConsoleOptions extends FoundConsole {
  readonly target: () => ConsoleTarget | undefined
}

// Visible ASCII from a single slash: neither the form of a proxy (`http://...`) nor a path that a browser reads as a host.
const ordinary = /^\/(?!\/)[!-~]*$/
const ofSession = /^\/session(?:[/?]|$)/
const ofPlatform = /^\/(?:api|docs|openapi\.json|oauth\/client\.json)(?:[/?]|$)/

/**
 * Serves the console on loopback for one fixed caller, without a sign-in: what it asks the API has the bearer of the embedded admin (ADR 0303).
 * Rejects if the port cannot be bound.
 */
export function serveConsole(options: ConsoleOptions): Promise<LoopbackServer> {
  return listenOnLoopback(options.port, {
    respond: (request, response) => respond(options, request, response),
    fail: sendProblem,
  })
}

async function respond(
  { folder, target }: ConsoleOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = '', method = '' } = request
  if (!isLocalRequest(request))
    throw new Fail('cross_site_request', 'Only programs and pages of this machine may call.')
  if (!ordinary.test(url)) throw new Fail('malformed_request', 'The request target must be a path.')
  if (ofSession.test(url)) {
    sendSession(request, response)
    return
  }
  const isOfPlatform = ofPlatform.test(url)
  if (!isOfPlatform && method !== 'GET' && method !== 'HEAD')
    throw new Fail('method_not_allowed', undefined, { headers: { allow: 'GET, HEAD' } })
  if (folder !== undefined && !isOfPlatform) return sendFolderFile(folder, request, response)
  const platform = target()
  if (platform === undefined) throw new Fail('bad_gateway', 'The platform is starting.')
  return passRequest(platform, request, response)
}

function sendProblem(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, headers, problem } = toProblemResponse(error)
  response.writeHead(status, { ...securityHeaders, ...headers, 'content-type': 'application/problem+json' })
  response.end(`${JSON.stringify(problem)}\n`)
}
