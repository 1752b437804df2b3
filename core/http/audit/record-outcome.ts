import type { FastifyRequest } from 'fastify'
import { asObject } from '#core/json/is-object.ts'
import type { Caller } from '#core/cluster/caller.ts'
import { isName } from '#core/kube/names.ts'
import { formatTraceparent } from '#core/telemetry/traceparent.ts'
import { reportingCaller } from './attributed-client.ts'
import type { AcceptedWrite } from './attributed-client.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { checksOf } from '../endpoint/authz.ts'
import type { AnyCall, AnyEndpoint } from '../endpoint/endpoint.ts'
import type { Intent, Outcome, OutcomeSink } from '../endpoint/extension-points.ts'
import { stateOf } from '../endpoint/request-context.ts'
import { servicesOf } from '../endpoint/server-context.ts'
import type { HttpServices } from '../endpoint/server-context.ts'

const actions: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', DELETE: 'delete' }

// Invalid requests are not outcomes: the act was never attempted.
const notTried = new Set([400, 401, 405, 408, 413, 415, 421, 429, 431, 499, 501])

/**
 * Reports a denied or failed mutation to the sinks. It is recorded with the error, not the response, which a client could avoid by
 * disconnecting.
 */
export function recordFailedOutcome(services: HttpServices, request: FastifyRequest): void {
  const { endpoint } = request.routeOptions.config
  if (endpoint === undefined || endpoint.method === 'GET') return
  const { failure, caller, intent } = stateOf(request)
  if (failure === undefined) return
  if (caller === undefined) return
  // An intent is always settled.
  if (intent === undefined && notTried.has(failure.status)) return
  reportOutcome(services, {
    ...actOf(endpoint, request, caller.username),
    outcome: failure.status === 403 ? 'denied' : 'error',
    code: failure.code,
    ...(failure.auditId === undefined ? {} : { auditId: failure.auditId }),
    ...(intent === undefined ? {} : { intent }),
  })
}

/** Wraps an endpoint: its handler runs only after its intent is stored. Both success and failure are reported. */
export function withIntent(services: HttpServices, endpoint: AnyEndpoint): AnyEndpoint {
  if (endpoint.audit?.intent !== true) return endpoint
  const handle = async (call: AnyCall): Promise<unknown> => {
    const act = actOf(endpoint, call.request, call.caller.username)
    const intent = uuidV7()
    await intend(services, { id: intent, ...act })
    stateOf(call.request).intent = intent
    const result = await endpoint.handle(call)
    reportOutcome(services, { ...act, outcome: 'success', intent })
    // The intent is settled: a later failure concerns the response, not the act.
    delete stateOf(call.request).intent
    return result
  }
  return { ...endpoint, handle }
}

type Act = Omit<Intent, 'id'>

function actOf(endpoint: AnyEndpoint, request: FastifyRequest, actor: string): Act {
  return {
    actor,
    action: endpoint.audit?.action ?? actionOf(endpoint),
    resourceKind: endpoint.audit?.resourceKind ?? kindOf(endpoint, request),
    ...targetOf(request),
    traceparent: formatTraceparent(stateOf(request).trace),
  }
}

/** Wraps the caller of a request, so that changes of cluster objects are reported to the sinks. */
export function attributed(services: HttpServices, request: FastifyRequest, caller: Caller): Caller {
  const state = stateOf(request)
  const report = ({ action, kind, ref, object }: AcceptedWrite): void =>
    reportOutcome(services, {
      actor: caller.username,
      ...namedAction(request.routeOptions.config.endpoint, action, kind),
      resourceKind: kind,
      namespace: ref.namespace,
      name: ref.name,
      outcome: 'success',
      traceparent: formatTraceparent(state.trace),
      object,
    })
  return reportingCaller(caller, report, {
    asked: (where) => (state.reviewed = where),
    attempted: (object) => (state.attempted = object),
  })
}

/** Reports an outcome to every sink. A sink that fails stops nothing. */
export function reportOutcome(services: Pick<HttpServices, 'outcomes' | 'log'>, outcome: Outcome): void {
  for (const sink of services.outcomes()) {
    try {
      sink.record(outcome)
    } catch (error) {
      complain(services, error)
    }
  }
}

async function intend(services: HttpServices, intent: Intent): Promise<void> {
  const ask = (sink: OutcomeSink): Promise<void> =>
    sink.intend(intent).catch((error: unknown) => complain(services, error))
  await Promise.all(services.outcomes().map(ask))
}

// A failure to audit is logged and does not stop the request.
function complain(services: Pick<HttpServices, 'log'>, error: unknown): void {
  services.log.error({ error: error instanceof Error ? error.name : 'unknown' }, 'audit outcome not recorded')
}

function actionOf(endpoint: AnyEndpoint): string {
  const [check] = checksOf(endpoint.authz)
  return check !== undefined && 'verb' in check
    ? check.verb
    : (actions[endpoint.method] ?? endpoint.method.toLowerCase())
}

const plainActions = new Set(['create', 'update', 'delete'])

// A route whose act has its own name (`rollback`) passes it to the change of its kind.
function namedAction(
  endpoint: AnyEndpoint | undefined,
  change: AcceptedWrite['action'],
  kind: string,
): Pick<Outcome, 'action' | 'change'> {
  const { action, resourceKind } = endpoint?.audit ?? {}
  if (action === undefined || resourceKind !== kind || plainActions.has(action)) return { action: change }
  return { action, change }
}

// CON12: failures and successes use the same name of a kind. A declared resource is a plural; its kind is that of the attempted object, or
// the declared one.
function kindOf(endpoint: AnyEndpoint, request: FastifyRequest): string {
  const [check] = checksOf(endpoint.authz)
  if (check === undefined || !('resource' in check)) return endpoint.url
  const { resource } = check
  return stateOf(request).attempted?.kind ?? servicesOf(request.server).names?.kindOf(resource) ?? resource
}

// Only valid names are kept (A8): any other value of the field may be a secret.
function targetOf(request: FastifyRequest): { namespace: string | undefined; name: string | undefined } {
  const { params, query, reviewed, attempted, failure } = stateOf(request)
  const body = asObject(request.body)
  const metadata = asObject(body.metadata)
  return {
    // A cluster-scoped object has none, whatever the path contains.
    namespace: firstName(
      attempted === undefined
        ? [params.ns, params.namespace, reviewed?.namespace, query.namespace, metadata.namespace, body.namespace]
        : [attempted.namespace],
    ),
    name: firstName([
      attempted?.name,
      params.name,
      params.id,
      metadata.name,
      body.name,
      asObject(body.agent).name,
      reviewed?.name,
      failure?.name,
    ]),
  }
}

function firstName(candidates: readonly unknown[]): string | undefined {
  return candidates.find((candidate): candidate is string => typeof candidate === 'string' && isName(candidate))
}
