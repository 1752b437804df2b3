import type { FastifyRequest } from 'fastify'
import { asObject } from '#core/json/is-object.ts'
import type { Caller } from '#core/cluster/caller.ts'
import { isName } from '#core/kube/names.ts'
import { kindOfResource } from '#schemas/kinds.ts'
import { formatTraceparent } from '#core/telemetry/traceparent.ts'
import { reportingCaller } from './attributed-client.ts'
import type { Change } from './attributed-client.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { AnyEndpoint, Call } from '../endpoint/endpoint.ts'
import type { Intent, Outcome, OutcomeSink } from '../endpoint/extension-points.ts'
import { stateOf } from '../endpoint/request-context.ts'
import type { HttpServices } from '../endpoint/server-context.ts'

const actions: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', DELETE: 'delete' }

// What the request itself got wrong is not an outcome of the act: it was never tried.
const notTried = new Set([400, 401, 405, 408, 413, 415, 421, 429, 431, 499, 501])

/** Tells the sinks of a mutation that was denied or failed; with its error and not its answer, which a client can avoid by hanging up. */
export function recordFailure(services: HttpServices, request: FastifyRequest): void {
  const { endpoint } = request.routeOptions.config
  if (endpoint === undefined || endpoint.method === 'GET') return
  const { failure, caller, intent } = stateOf(request)
  if (failure === undefined) return
  if (caller === undefined) return
  // An intent is settled whatever became of it.
  if (intent === undefined && notTried.has(failure.status)) return
  tell(services, {
    ...actOf(endpoint, request, caller.username),
    outcome: failure.status === 403 ? 'denied' : 'error',
    code: failure.code,
    ...(failure.auditId === undefined ? {} : { auditId: failure.auditId }),
    ...(intent === undefined ? {} : { intent }),
  })
}

/** The endpoint, whose handler runs only when its intent is written down; a success is told too, a failure as any other. */
export function withIntent(services: HttpServices, endpoint: AnyEndpoint): AnyEndpoint {
  if (endpoint.audit?.intent !== true) return endpoint
  const handle = async (call: Call<unknown, unknown, unknown>): Promise<unknown> => {
    const act = actOf(endpoint, call.request, call.caller.username)
    const intent = uuidV7()
    await intend(services, { id: intent, ...act })
    stateOf(call.request).intent = intent
    const result = await endpoint.handle(call)
    tell(services, { ...act, outcome: 'success', intent })
    // It is settled: what fails from here on is the answer, not the act.
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

/** The caller of a request, whose changes of cluster objects are told to the sinks. */
export function attributed(services: HttpServices, request: FastifyRequest, caller: Caller): Caller {
  const state = stateOf(request)
  const report = ({ action, kind, ref, object }: Change): void =>
    tell(services, {
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

function tell(services: HttpServices, outcome: Outcome): void {
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

// The act goes on: what is not audited never stops what is done.
function complain(services: HttpServices, error: unknown): void {
  services.log.error({ error: error instanceof Error ? error.name : 'unknown' }, 'an outcome was not recorded')
}

function actionOf(endpoint: AnyEndpoint): string {
  return 'verb' in endpoint.authz ? endpoint.authz.verb : (actions[endpoint.method] ?? endpoint.method.toLowerCase())
}

const plainActions = new Set(['create', 'update', 'delete'])

// A route whose act has a name of its own (`rollback`) gives it to the change of its kind.
function namedAction(
  endpoint: AnyEndpoint | undefined,
  change: Change['action'],
  kind: string,
): Pick<Outcome, 'action' | 'change'> {
  const { action, resourceKind } = endpoint?.audit ?? {}
  if (action === undefined || resourceKind !== kind || plainActions.has(action)) return { action: change }
  return { action, change }
}

// CON12: failures and successes have one name of a kind. A declared resource is a plural; its kind is that of the object which the
// cluster was asked for, or of our own kinds.
function kindOf(endpoint: AnyEndpoint, request: FastifyRequest): string {
  if (!('resource' in endpoint.authz)) return endpoint.url
  return stateOf(request).attempted?.kind ?? kindOfResource(endpoint.authz.resource)
}

// Only what parses as a name is kept (A8): a field that holds anything else may hold a secret.
function targetOf(request: FastifyRequest): { namespace: string | undefined; name: string | undefined } {
  const { params, query, reviewed, attempted, failure } = stateOf(request)
  const body = asObject(request.body)
  const metadata = asObject(body.metadata)
  return {
    // A cluster-scoped object has none, whatever the path says.
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
