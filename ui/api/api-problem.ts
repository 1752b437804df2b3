/** The right that the cluster denied. */
export interface DeniedRight {
  readonly verb: string
  readonly resource: string
  /** API group; empty for the core group. */
  readonly group: string
  /** Absent for the whole cluster. */
  readonly namespace?: string | undefined
}

/** A refused field of a request. */
export interface RefusedField {
  /** JSON Pointer into the body, or the name of a parameter. */
  readonly pointer: string
  readonly detail: string
}

/** A problem document of the API (RFC 9457), or what is known of a response without one. */
export interface ProblemFacts {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly code?: string
  readonly traceId?: string
  /** Seconds that the server asks to wait. */
  readonly retryAfter?: number
  readonly right?: DeniedRight
  /** The setting that enables what is not enabled. */
  readonly setting?: string
  readonly errors?: readonly RefusedField[]
}

/** A failed request. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly facts: ProblemFacts
  constructor(facts: ProblemFacts) {
    super(facts.detail)
    this.facts = facts
  }
}

type Unread = Readonly<Record<string, unknown>>

/** Reads the problem of a response. */
export async function readProblem(response: Response): Promise<ApiProblem> {
  const { status } = response
  const body: unknown = await response.json().catch(() => undefined)
  const problem = (body ?? {}) as Unread
  const right = rightOf(problem['cluster'])
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const errors = fieldsOf(problem['errors'])
  return new ApiProblem({
    status,
    title: stringOf(problem, 'title')?.title ?? 'The request failed.',
    detail: stringOf(problem, 'detail')?.detail ?? `The server responded with ${status}.`,
    ...stringOf(problem, 'code'),
    ...stringOf(problem, 'traceId'),
    ...stringOf(problem, 'setting'),
    ...(Number.isFinite(retryAfter) ? { retryAfter: Math.min(3600, Math.max(0, Math.ceil(retryAfter))) } : {}),
    ...(right === undefined ? {} : { right }),
    ...(errors.length === 0 ? {} : { errors }),
  })
}

function stringOf<Name extends string>(problem: Unread, name: Name): { readonly [Key in Name]?: string } {
  const value = problem[name]
  return typeof value === 'string' ? ({ [name]: value } as { readonly [Key in Name]: string }) : {}
}

// The API server's own sentence; its details have the kind, but not the verb.
const denial = /cannot (\S+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)")?/

function rightOf(cluster: unknown): DeniedRight | undefined {
  const { message } = (cluster ?? {}) as { readonly message?: unknown }
  const [, verb, resource, group = '', namespace] = denial.exec(typeof message === 'string' ? message : '') ?? []
  return verb === undefined || resource === undefined ? undefined : { verb, resource, group, namespace }
}

function fieldsOf(errors: unknown): readonly RefusedField[] {
  if (!Array.isArray(errors)) return []
  return errors.flatMap((one: unknown) => {
    const { pointer, detail } = (one ?? {}) as Unread
    return typeof pointer === 'string' && typeof detail === 'string' ? [{ pointer, detail }] : []
  })
}
