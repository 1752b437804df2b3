import { Type } from 'typebox'
import { asObject } from '#core/json/is-object.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import { CONVERSATION_ID_DETAIL, isConversationId } from '#schemas/names/conversation-id.ts'
import type { StateRunRequest } from '#schemas/launcher/launcher.ts'
import type { ChildRuns } from './child-runs.ts'

const IdParams = Type.Object({ id: Type.String() })
const StateRun = Type.Object(
  { id: Type.String(), state: Type.String(), output: Type.Unknown(), error: Type.Unknown() },
  { additionalProperties: true },
)

/** Routes of the state role: public keys of the installation, child runs started in a pod, and repeated reviews of a subject's right. */
export function stateEndpoints(delegations: ChildRuns): readonly AnyEndpoint[] {
  const keys = endpoint({
    method: 'GET',
    url: '/jwks',
    summary: 'Get the public keys of the installation, with which launchers authenticate workers.',
    authz: { kind: 'public', shownBy: 'anyone' },
    response: { 200: Type.Object({ keys: Type.Array(Type.Unknown()) }) },
    handle: async () => delegations.keys(),
  })
  const create = endpoint({
    method: 'POST',
    url: '/runs',
    summary: 'Start a child run from a pod.',
    authz: { kind: 'agent' },
    body: Type.Unknown(),
    response: { 201: StateRun },
    handle: async ({ access: { agent }, body, headers }) =>
      delegations.create(agent.account, readDelegation(body), parseTraceparent(headers['traceparent'])),
  })
  const read = endpoint({
    method: 'GET',
    url: '/runs/:id',
    summary: 'Get a child run; `wait` is the longest time to wait for its end, in seconds.',
    authz: { kind: 'agent' },
    params: IdParams,
    query: Type.Object({ wait: Type.Optional(Type.Number()) }),
    response: { 200: StateRun },
    handle: async ({ access: { agent }, params, query: { wait = 0 } }) =>
      delegations.read(agent.account, params.id, Math.min(Math.max(wait, 0), 30) * 1000),
  })
  const cancel = endpoint({
    method: 'POST',
    url: '/runs/:id/cancel',
    summary: 'Cancel a child run.',
    authz: { kind: 'agent' },
    params: IdParams,
    response: { 202: Type.Object({}) },
    handle: async ({ access: { agent }, params }) => {
      await delegations.cancel(agent.account, params.id)
      return {}
    },
  })
  return [keys, create, read, cancel, recheckEndpoint(delegations), readinessEndpoint(delegations)]
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

function readinessEndpoint(delegations: ChildRuns): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/runs/:id/readiness',
    summary: 'Say why the agent of a run is not ready, and whether waiting can help.',
    authz: byAttempt(delegations),
    params: IdParams,
    response: {
      200: Type.Object({
        outcome: Type.Union([Type.Literal('waits'), Type.Literal('never')]),
        reason: Type.String(),
      }),
    },
    handle: ({ params, access: attempt }) => delegations.readiness(params.id, attempt),
  })
}

function recheckEndpoint(delegations: ChildRuns): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/runs/:id/recheck',
    summary: 'Review the right of the subject of a run again.',
    authz: byAttempt(delegations),
    params: IdParams,
    response: { 200: Type.Object({ allowed: Type.Boolean(), grant: Type.Optional(Type.String()) }) },
    handle: async ({ params, access: attempt }) => {
      const grant = await delegations.recheck(params.id, attempt)
      return { allowed: grant !== undefined, ...(grant === undefined ? {} : { grant }) }
    },
  })
}

function readDelegation(body: unknown): StateRunRequest {
  const given = asObject(body)
  const { parentRunId, conversationId, mode, maxDepth, deadline } = given
  const { namespace, name } = asObject(given['agent'])
  if (typeof namespace !== 'string' || !isLabel(namespace)) throw refuse('/agent/namespace', 'must be a namespace name')
  if (typeof name !== 'string' || !isName(name)) throw refuse('/agent/name', 'must be an object name')
  if (mode !== 'spawn' && mode !== 'handoff') throw refuse('/mode', 'must be spawn or handoff')
  if (typeof maxDepth !== 'number' || !Number.isSafeInteger(maxDepth))
    throw refuse('/maxDepth', 'must be a whole number')
  if (conversationId !== undefined && !isConversationId(conversationId))
    throw refuse('/conversationId', CONVERSATION_ID_DETAIL)
  if (deadline !== undefined && !isTime(deadline)) throw refuse('/deadline', 'must be a time in UTC (RFC 3339)')
  return {
    agent: { namespace, name },
    input: given['input'],
    mode,
    maxDepth,
    ...(typeof parentRunId === 'string' ? { parentRunId } : {}),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(deadline === undefined ? {} : { deadline }),
  }
}

// Years of four digits from 1970 on: PostgreSQL has no year 0, and reads no sign.
function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{1,16}Z$/.test(value) && Date.parse(value) >= 0
}

function refuse(pointer: string, detail: string): Fail {
  return new Fail('invalid_body', undefined, { errors: [{ pointer, detail }] })
}
