import { Type } from 'typebox'
import { checkOf } from '#core/validation/validate.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { CreateRunBody } from '#schemas/api/run-requests.ts'
import { DNS_LABEL_PATTERN, DNS_NAME_PATTERN } from '#schemas/kinds/parts.ts'
import { findUnstorable } from '#schemas/values/storable-text.ts'
import type { PrepareRequest } from '../contract/prepared-run.ts'
import { TIME_PATTERN } from '../contract/wire.ts'

const maxSeconds = 7 * 24 * 3600
// The size limit of a request body.
const maxInputBytes = 1024 * 1024

const word = '^[a-z][a-z0-9-]{0,39}$'
const { agent, ...fields } = CreateRunBody.properties

const schema = Type.Object({
  ...fields,
  agent: Type.Optional(agent),
  executor: Type.Optional(
    Type.Object({
      kind: Type.String({ pattern: word }),
      namespace: Type.String({ maxLength: 63, pattern: DNS_LABEL_PATTERN }),
      object: Type.Optional(Type.String({ maxLength: 253, pattern: DNS_NAME_PATTERN })),
    }),
  ),
  trigger: Type.String({ pattern: word }),
  revision: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
  deadline: Type.Optional(Type.String({ pattern: TIME_PATTERN })),
  expiresInSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: maxSeconds })),
})

const check = checkOf(schema)

// Triggers of the platform's own requests.
const reserved: ReadonlySet<string> = new Set(['api', 'gateway', 'spawn', 'handoff', 'amp'])

/** Throws `invalid_body` with the fields that `POST /api/runs` would refuse. */
export function checkRequest(asked: object): asserts asked is PrepareRequest {
  const request = asked as PrepareRequest
  const { traceparent: _t, idempotency: _i, ...rest } = request
  // Absent and undefined are the same for a caller in code.
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const problems = check(given)
  if (problems.length > 0) throw new Fail('invalid_body', undefined, { errors: problems })
  const unstorable = findUnstorable(given)
  if (unstorable !== undefined) throw refuse(unstorable, 'must not contain U+0000 or a lone surrogate')
  if ((request.agent === undefined) === (request.executor === undefined))
    throw refuse('/agent', 'a run has either an agent or an executor')
  if (request.revision !== undefined && request.agent === undefined)
    throw refuse('/revision', 'a run without an agent has no revision')
  if (request.deadline !== undefined && Number.isNaN(Date.parse(request.deadline)))
    throw refuse('/deadline', 'must be a time in UTC (RFC 3339)')
  if (reserved.has(request.trigger)) throw refuse('/trigger', 'is a trigger of the platform')
  if (Buffer.byteLength(JSON.stringify(request.input ?? null)) > maxInputBytes)
    throw refuse('/input', `must not exceed ${maxInputBytes} bytes`)
}

/** The error for a field of the request. */
export function refuse(pointer: string, detail: string): Fail {
  return new Fail('invalid_body', undefined, { errors: [{ pointer, detail }] })
}
