import { Type } from 'typebox'
import type { TSchema } from 'typebox'
import { coreErrors } from '#core/errors/core-errors.ts'
import { isOpen } from '../endpoint/authz.ts'
import type { AnyEndpoint } from '../endpoint/endpoint.ts'

const FieldProblem = Type.Object(
  {
    pointer: Type.String({ description: 'RFC 6901 pointer into the body, or `?name` of a query, `:name` of a path.' }),
    detail: Type.String({ description: 'What is wrong with the field.' }),
  },
  { title: 'FieldProblem' },
)

const ClusterProblem = Type.Object(
  {
    reason: Type.String({ description: 'Reason of the Status, such as Forbidden.' }),
    message: Type.String({ description: 'Message of the Status.' }),
    code: Type.Integer({ description: 'HTTP status of the cluster.' }),
    auditId: Type.Optional(Type.String({ description: 'Audit-Id of the request to the cluster.' })),
    details: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(Type.String({ description: 'Name of the object.' })),
          group: Type.Optional(Type.String({ description: 'API group of the object.' })),
          kind: Type.Optional(Type.String({ description: 'Kind of the object, as in the Status.' })),
        },
        { description: 'Object that the Status is about.' },
      ),
    ),
  },
  { title: 'ClusterProblem', description: 'Response of the cluster API server.' },
)

/** Schema of every error response (RFC 9457). Its codes are those of core and of these plugins. */
export function problemSchema(codesOfPlugins: readonly string[]): TSchema {
  const codes = [...Object.keys(coreErrors), ...codesOfPlugins].toSorted()
  return Type.Object(
    {
      type: Type.String({ description: 'URI of the error, made of its code.' }),
      title: Type.String({ description: 'Meaning of the code, the same for each occurrence.' }),
      status: Type.Integer({ description: 'HTTP status.' }),
      detail: Type.String({ description: 'What is wrong with this request; names the first field.' }),
      instance: Type.Optional(Type.String({ description: 'Path of the request; absent on public routes.' })),
      code: Type.Enum(codes, { description: 'Stable name of the error, see docs/reference/errors.md.' }),
      traceId: Type.Optional(Type.String({ description: 'Id of the trace, 32 lowercase hexadecimal digits.' })),
      retryable: Type.Boolean({ description: 'Whether the same request may succeed later.' }),
      errors: Type.Optional(Type.Array(FieldProblem, { description: 'Every field that is wrong, at most 20.' })),
      cluster: Type.Optional(ClusterProblem),
    },
    { title: 'Problem', description: 'Problem details (RFC 9457).' },
  )
}

const described = {
  BadRequest: 'The path, the query, a header or the body is not valid; `errors` names the fields.',
  Unauthenticated: 'The bearer token is missing or not accepted.',
  Forbidden: 'The caller lacks permission.',
  NotFound: 'The object does not exist, or the caller may not see it.',
  Conflict: 'The object already exists, or was changed concurrently.',
  PreconditionFailed: '`If-Match` does not match the current version.',
  TooManyRequests: 'A rate limit or a quota is exceeded.',
  Unavailable: 'The cluster or the store is not reachable, or the server is overloaded.',
  Problem: 'Any other error.',
} as const

type Name = keyof typeof described

const waits: ReadonlySet<Name> = new Set(['TooManyRequests', 'Unavailable'])

/** Error responses in the components. */
export function problemResponses(): Record<string, object> {
  const entries = (Object.keys(described) as Name[]).map((name) => [name, problemResponse(name)] as const)
  return Object.fromEntries(entries)
}

function problemResponse(name: Name): object {
  return {
    description: described[name],
    ...(waits.has(name) ? { headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } } : {}),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}

/** Error responses of an endpoint, by status. */
export function problemsOf({ method, url, authz, docs }: AnyEndpoint): Record<string, object> {
  const isPublic = authz.kind === 'public'
  const names: Record<string, Name | false> = {
    400: 'BadRequest',
    401: !isPublic && 'Unauthenticated',
    403: !isOpen(authz) && authz.kind !== 'bearer' && 'Forbidden',
    404: url.includes(':') && 'NotFound',
    409: (method === 'POST' || method === 'PUT') && 'Conflict',
    412: docs?.reads?.includes('If-Match') === true && 'PreconditionFailed',
    429: 'TooManyRequests',
    503: 'Unavailable',
    default: 'Problem',
  }
  const used = Object.entries(names).filter(([, name]) => name !== false)
  return Object.fromEntries(used.map(([status, name]) => [status, { $ref: `#/components/responses/${String(name)}` }]))
}
