import assert from 'node:assert/strict'
import test from 'node:test'
import { baseConditions } from './base-conditions.ts'
import type { BaseFindings } from './base-conditions.ts'

const found: BaseFindings = {
  documents: 2,
  chunks: 10,
  embedded: 10,
  pending: 0,
  failed: 0,
  routeProblem: undefined,
  hasRoute: true,
  embeddingProblem: null,
  hasVectors: true,
}
const of = (more: Partial<BaseFindings>) =>
  baseConditions({ ...found, ...more }).map(({ type, status, reason }) => `${type} ${status} ${reason}`)

test('knowledge: conditions say what can be searched, and why not by meaning', () => {
  const [refs, , ready] = of({})
  assert.deepEqual(of({}), ['ResolvedRefs True ResolvedRefs', 'Embedded True Embedded', 'Ready True Ready'])
  const embedding: readonly (readonly [Partial<BaseFindings>, string])[] = [
    [{ hasRoute: false }, 'Embedded False NoModel'],
    [{ hasVectors: false }, 'Embedded False NoVectorExtension'],
    [{ embedded: 3 }, 'Embedded False InProgress'],
    [{ embedded: 3, embeddingProblem: 'timeout' }, 'Embedded False EmbeddingFailed'],
    [{ embeddingProblem: 'timeout' }, 'Embedded True Embedded'],
  ]
  for (const [more, expected] of embedding) assert.deepEqual(of(more), [refs, expected, ready])
  const routeProblem = { reason: 'NotAllowed', message: 'x' }
  assert.deepEqual(of({ routeProblem }), ['ResolvedRefs False NotAllowed', 'Embedded False RouteNotUsable', ready])
})

test('knowledge: a base is ready while something can be found or nothing is there', () => {
  const readyOf = (more: Partial<BaseFindings>) => of(more)[2]
  assert.equal(readyOf({ documents: 0 }), 'Ready True Ready')
  assert.equal(readyOf({ documents: 0, pending: 1 }), 'Ready False Ingesting')
  assert.equal(readyOf({ documents: 0, failed: 1 }), 'Ready False IngestFailed')
  assert.equal(readyOf({ failed: 1 }), 'Ready True IngestsFailed')
  assert.equal(readyOf({ pending: 5 }), 'Ready True Ready')
})
