import type { FastifyReply, FastifyRequest } from 'fastify'
import { isName } from '#core/kube/names.ts'
import type { AnyEndpoint } from './endpoint.ts'
import type { Outcome } from './points.ts'
import { stateOf } from './request-state.ts'
import type { HttpServices } from './services.ts'

const actions: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', DELETE: 'delete' }

// What the request itself got wrong is not an outcome of the act: it was never tried.
const notTried = new Set([400, 401, 405, 413, 415, 421, 429, 431, 501])

/** Tells the sinks of a mutation that was denied or failed, once its answer is out. */
export function recordOutcome(services: HttpServices, request: FastifyRequest, reply: FastifyReply): void {
  const { endpoint } = request.routeOptions.config
  if (endpoint === undefined || endpoint.method === 'GET') return
  const outcome = outcomeOf(endpoint, request, reply.statusCode)
  if (outcome === undefined) return
  for (const sink of services.outcomes()) {
    try {
      sink.record(outcome)
    } catch (error) {
      services.log.error({ error: String(error) }, 'an outcome was not recorded')
    }
  }
}

function outcomeOf(endpoint: AnyEndpoint, request: FastifyRequest, status: number): Outcome | undefined {
  const { failure, caller, trace } = stateOf(request)
  if (status < 400 || notTried.has(status) || failure === undefined || caller === undefined) return undefined
  return {
    actor: caller.username,
    action: endpoint.audit?.action ?? actionOf(endpoint),
    resourceKind: endpoint.audit?.resourceKind ?? resourceOf(endpoint),
    ...targetOf(request),
    outcome: status === 403 ? 'denied' : 'error',
    traceId: trace.traceId,
    code: failure.code,
  }
}

function actionOf(endpoint: AnyEndpoint): string {
  return 'verb' in endpoint.authz ? endpoint.authz.verb : (actions[endpoint.method] ?? endpoint.method.toLowerCase())
}

function resourceOf(endpoint: AnyEndpoint): string {
  return 'resource' in endpoint.authz ? endpoint.authz.resource : endpoint.url
}

// Only what parses as a name is kept (A8): a field that holds anything else may hold a secret.
function targetOf(request: FastifyRequest): { namespace: string | undefined; name: string | undefined } {
  const { params, query, access } = stateOf(request)
  const body = fields(request.body)
  const metadata = fields(body.metadata)
  return {
    namespace: firstName([
      params.ns,
      params.namespace,
      access?.namespace,
      query.namespace,
      metadata.namespace,
      body.namespace,
    ]),
    name: firstName([params.name, params.id, metadata.name, body.name]),
  }
}

function firstName(candidates: readonly unknown[]): string | undefined {
  return candidates.find((candidate): candidate is string => typeof candidate === 'string' && isName(candidate))
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
