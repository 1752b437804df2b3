import { CONVERSATION_ID_PATTERN } from '#schemas/names/conversation-id.ts'
import {
  anyObject,
  anyOrAbsent,
  flag,
  integer,
  list,
  nullable,
  object,
  enumOf,
  optionalField,
  reply,
  string,
} from '#schemas/wire/schema.ts'
import type { Static } from '#schemas/wire/schema.ts'
import { statePath } from '#schemas/wire/state-path.ts'

/** Public keys of the installation, with which launchers authenticate workers (RFC 7517). */
export const installationKeys = statePath({
  method: 'GET',
  path: '/jwks',
  status: 200,
  response: reply({ keys: list(anyObject) }),
})

/** A run as agents see it. */
const outcome = {
  id: string(),
  state: string(),
  output: optionalField(anyOrAbsent),
  error: optionalField(nullable(reply({ code: string(), message: string() }))),
}

/** A child run. */
export const childRun = reply(outcome)

/** See {@link childRun}. */
export type ChildOutcome = Static<typeof childRun>

/** The run that another agent's call created. */
export const calledRun = reply({ ...outcome, conversationId: string() })

const namespace = string({ maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' })
const name = string({
  maxLength: 253,
  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
})
/** Times with a year from 1970 to 9999: PostgreSQL has no year 0 and parses no sign. */
export const TIME_PATTERN = String.raw`^(19[7-9]\d|[2-9]\d{3})-\d\d-\d\dT[\d:.]{1,16}Z$`
const time = string({ pattern: TIME_PATTERN, description: 'RFC 3339, in UTC' })

/**
 * A launcher creates a run of another agent. The state role reads subject and depth of the calling run (`parentRunId`) from its own rows; without a
 * parent run the agent calls on its own behalf. `deadline` is the end of the calling run.
 */
export const createChildRun = statePath({
  method: 'POST',
  path: '/runs',
  request: object({
    agent: object({ namespace, name }),
    input: optionalField(anyOrAbsent),
    mode: enumOf('spawn', 'handoff'),
    parentRunId: optionalField(string()),
    conversationId: optionalField(string({ maxLength: 128, pattern: CONVERSATION_ID_PATTERN })),
    deadline: optionalField(time),
    maxDepth: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  }),
  status: 201,
  response: childRun,
})

/** A run that an agent starts. */
export type ChildRunRequest = Static<typeof createChildRun.request>

/** The launcher reads the child run; the query parameter `wait` is the maximum wait for its end, in seconds. */
export const readChildRun = statePath({ method: 'GET', path: '/runs/:id', status: 200, response: childRun })

/** The launcher cancels the child run. */
export const cancelChildRun = statePath({ method: 'POST', path: '/runs/:id/cancel', status: 202, response: reply({}) })

/** A worker asks whether the subject of its run still has the right; `grant` in the response is a renewed one. */
export const recheckRun = statePath({
  method: 'POST',
  path: '/runs/:id/recheck',
  status: 200,
  response: reply({ allowed: flag, grant: optionalField(string()) }),
})

/** A worker asks why the agent of its run is not ready, and whether waiting can help. */
export const runReadiness = statePath({
  method: 'GET',
  path: '/runs/:id/readiness',
  status: 200,
  response: reply({ outcome: enumOf('waits', 'never'), reason: string() }),
})

/**
 * A worker prepares a child run of the executor's run that it holds, for the subject of that run. The body is a `PrepareRequest`, whose fields the
 * state role validates.
 */
export const prepareChildRun = statePath({
  method: 'POST',
  path: '/runs/:id/children',
  request: anyObject,
  status: 201,
  response: reply({ runId: string(), content: string(), token: string() }),
})
