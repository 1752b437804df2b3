import type { ConditionValue } from '#core/controllers/conditions.ts'

/** Findings about a knowledge base in the store and the cluster. */
export interface BaseFindings {
  readonly documents: number
  readonly chunks: number
  readonly embedded: number
  readonly pending: number
  readonly failed: number
  /** Why its route cannot be used; undefined for a usable route, and for a base without a route. */
  readonly routeProblem: { readonly reason: string; readonly message: string } | undefined
  /** Whether the spec names a route. */
  readonly hasRoute: boolean
  /** Why the last embedding ended early. */
  readonly embeddingProblem: string | null
  readonly hasVectors: boolean
}

/** Conditions of a knowledge base. It is Ready while it can be searched, even by full text only. Pure. */
export function baseConditions(found: BaseFindings): readonly ConditionValue[] {
  return [resolvedRefs(found), embedded(found), ready(found)]
}

function resolvedRefs({ routeProblem }: BaseFindings): ConditionValue {
  if (routeProblem !== undefined) return { type: 'ResolvedRefs', status: 'False', ...routeProblem }
  return { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs', message: 'Every reference can be used.' }
}

function embedded({
  hasRoute,
  routeProblem,
  hasVectors,
  embeddingProblem,
  embedded: done,
  chunks,
}: BaseFindings): ConditionValue {
  const not = (reason: string, message: string): ConditionValue => ({
    type: 'Embedded',
    status: 'False',
    reason,
    message,
  })
  if (!hasRoute) return not('NoModel', 'spec.embedding is not set: search is full-text only.')
  if (routeProblem !== undefined) return not('RouteNotUsable', 'The route of the embedding model cannot be used.')
  if (!hasVectors) return not('NoVectorExtension', 'The database has no extension pgvector: search is full-text only.')
  if (done < chunks && embeddingProblem !== null)
    return not('EmbeddingFailed', `The model did not embed every chunk (${embeddingProblem}); this is retried.`)
  if (done < chunks) return not('InProgress', `${done} of ${chunks} chunks have a vector of the current model.`)
  return {
    type: 'Embedded',
    status: 'True',
    reason: 'Embedded',
    message: 'Every chunk has a vector of the current model.',
  }
}

function ready({ documents, pending, failed }: BaseFindings): ConditionValue {
  const of = (status: 'True' | 'False', reason: string, message: string): ConditionValue => ({
    type: 'Ready',
    status,
    reason,
    message,
  })
  if (documents === 0 && pending > 0)
    return of('False', 'Ingesting', `${pending} documents are waiting to be ingested.`)
  if (documents === 0 && failed > 0) return of('False', 'IngestFailed', 'No document could be ingested.')
  if (failed > 0) return of('True', 'IngestsFailed', `${failed} ingests failed; ${documents} documents can be found.`)
  return of('True', 'Ready', documents === 0 ? 'There are no documents yet.' : 'Every document can be found.')
}
