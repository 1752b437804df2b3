import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fail } from '#core/errors/domain-error.ts'
import { authenticatorOf } from './admission/bearer.ts'
import type { HttpServices } from './endpoint/server-context.ts'
import { checkHost, prepare } from './gate.ts'
import { toProblemResponse } from './problem/problem.ts'
import { describeRequest, sendProblem, sendWire } from './send-error.ts'
import type { FailedExchange } from './send-error.ts'

/** Responds to a URL that the router cannot parse. It reaches no hook, so the checks of Host and bearer are repeated here. */
export async function respondToUnrouted(
  app: FastifyInstance,
  { error, request, reply }: FailedExchange,
  { hosts, services }: { readonly services: HttpServices; readonly hosts?: readonly string[] | undefined },
): Promise<void> {
  const respond = (failed: unknown): FastifyReply => {
    const wire = services.errorFormat?.write(failed, describeRequest(request))
    return wire === undefined ? sendProblem(reply, toProblemResponse(failed)) : sendWire(reply, wire)
  }
  prepare(request, reply, services)
  try {
    checkHost(request, hosts)
    // S2: a malformed token is as unknown as any other.
    if (isBelowShare(request, services)) throw new Fail('not_found')
    await authenticatorOf(app).request(request)
    respond(error)
  } catch (refused) {
    respond(refused)
  }
}

// Whether a path would be that of a share, if its last segment were one that the router can read.
function isBelowShare({ method, raw }: FastifyRequest, { catalog }: HttpServices): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const path = raw.url?.split(/[?#]/, 1)[0] ?? ''
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return catalog.some(({ prefix, endpoint: { authz, url } }) => {
    const isShare = authz.kind === 'public' && authz.shownBy === 'shareToken'
    return (
      isShare && `${prefix}${url}`.startsWith(folder) && /^:[A-Za-z]+$/.test(`${prefix}${url}`.slice(folder.length))
    )
  })
}
