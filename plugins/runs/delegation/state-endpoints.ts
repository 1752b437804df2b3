import { Type } from 'typebox'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { stateRoute } from '#core/http/endpoint/state-route.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import {
  cancelChildRun,
  createChildRun,
  installationKeys,
  prepareChildRun,
  readChildRun,
  recheckRun,
  runReadiness,
} from '../contract/wire.ts'
import type { ChildRunRequest } from '../contract/wire.ts'
import type { ChildRuns } from './child-runs.ts'

const IdParams = Type.Object({ id: Type.String() })

/** Routes of the state role: public keys of the installation, child runs started in a pod, and repeated reviews of a subject's right. */
export function stateEndpoints(delegations: ChildRuns): readonly AnyEndpoint[] {
  const keys = endpoint({
    ...stateRoute(installationKeys),
    summary: 'Get the public keys of the installation, with which launchers authenticate workers.',
    authz: { kind: 'public', shownBy: 'anyone' },
    handle: async () => delegations.keys(),
  })
  const create = endpoint({
    ...stateRoute(createChildRun),
    summary: 'Start a child run from a pod.',
    authz: { kind: 'agent' },
    handle: async ({ access: { agent }, body, headers }) => {
      checkDeadline(body)
      return delegations.create(agent, body, parseTraceparent(headers['traceparent']))
    },
  })
  const read = endpoint({
    ...stateRoute(readChildRun),
    summary: 'Get a child run; `wait` is the longest time to wait for its end, in seconds.',
    authz: { kind: 'agent' },
    params: IdParams,
    query: Type.Object({ wait: Type.Optional(Type.Number()) }),
    handle: async ({ access: { agent }, params, query: { wait = 0 } }) =>
      delegations.read(agent, params.id, Math.min(Math.max(wait, 0), 30) * 1000),
  })
  const cancel = endpoint({
    ...stateRoute(cancelChildRun),
    summary: 'Cancel a child run.',
    authz: { kind: 'agent' },
    params: IdParams,
    handle: async ({ access: { agent }, params }) => {
      await delegations.cancel(agent, params.id)
      return {}
    },
  })
  return [keys, create, read, cancel, ...attemptEndpoints(delegations)]
}

// The worker has no cluster identity. It authenticates with its attempt token for this run.
function byAttempt(delegations: ChildRuns) {
  return {
    kind: 'token',
    of: 'an attempt of the run',
    header: 'x-mesh-run-attempt',
    verify: (token: string) => delegations.attemptOf(token),
  } as const
}

function attemptEndpoints(delegations: ChildRuns): readonly AnyEndpoint[] {
  return [recheckEndpoint(delegations), readinessEndpoint(delegations), prepareEndpoint(delegations)]
}

function prepareEndpoint(delegations: ChildRuns): AnyEndpoint {
  return endpoint({
    ...stateRoute(prepareChildRun),
    summary: 'Prepare a child run of a run without an agent, for its subject.',
    authz: byAttempt(delegations),
    params: IdParams,
    handle: ({ params, access: attempt, body }) => delegations.prepare(params.id, attempt, body),
  })
}

function readinessEndpoint(delegations: ChildRuns): AnyEndpoint {
  return endpoint({
    ...stateRoute(runReadiness),
    summary: 'Get why the agent of a run is not ready, and whether waiting can help.',
    authz: byAttempt(delegations),
    params: IdParams,
    handle: ({ params, access: attempt }) => delegations.readiness(params.id, attempt),
  })
}

function recheckEndpoint(delegations: ChildRuns): AnyEndpoint {
  return endpoint({
    ...stateRoute(recheckRun),
    summary: 'Review the right of the subject of a run again.',
    authz: byAttempt(delegations),
    params: IdParams,
    handle: async ({ params, access: attempt }) => {
      const grant = await delegations.recheck(params.id, attempt)
      return { allowed: grant !== undefined, ...(grant === undefined ? {} : { grant }) }
    },
  })
}

// JSON Schema cannot express that a date exists.
function checkDeadline({ deadline }: ChildRunRequest): void {
  if (deadline !== undefined && Number.isNaN(Date.parse(deadline)))
    throw new Fail('invalid_body', undefined, {
      errors: [{ pointer: '/deadline', detail: 'must be a time in UTC (RFC 3339)' }],
    })
}
