/** A problem document of the API (RFC 9457), or what is known of a response without one. */
export interface ProblemFacts {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly code?: string
  readonly traceId?: string
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

/** Reads the problem of a response. */
export async function readProblem(response: Response): Promise<ApiProblem> {
  const { status } = response
  const body: unknown = await response.json().catch(() => undefined)
  const { title, detail, code, traceId } = (body ?? {}) as Readonly<Record<string, unknown>>
  return new ApiProblem({
    status,
    title: typeof title === 'string' ? title : 'The request failed.',
    detail: typeof detail === 'string' ? detail : `The server responded with ${status}.`,
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof traceId === 'string' ? { traceId } : {}),
  })
}
