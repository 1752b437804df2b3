import { isObject } from '#core/json/is-object.ts'
import { EmbeddingsUnavailable } from './embeddings-error.ts'

/** Maximum number of dimensions of a vector: twice the maximum of pgvector's index. It also bounds the size of a row. */
export const MAX_DIMENSIONS = 4_096

/** Reads the vectors of a response of OpenAI's embeddings API in the order of the request. Throws `EmbeddingsUnavailable`. */
export function readVectors(body: Buffer, expected: number): readonly (readonly number[])[] {
  const data = dataOf(body)
  if (data.length !== expected) throw new EmbeddingsUnavailable('invalid_answer')
  const vectors = new Map<number, readonly number[]>()
  for (const [place, item] of data.entries()) {
    if (!isObject(item) || !isVector(item['embedding'])) throw new EmbeddingsUnavailable('invalid_answer')
    const { index = place, embedding } = item
    if (typeof index === 'number') vectors.set(index, embedding)
  }
  return Array.from({ length: expected }, (_, index) => {
    const vector = vectors.get(index)
    if (vector === undefined) throw new EmbeddingsUnavailable('invalid_answer')
    return vector
  })
}

function dataOf(body: Buffer): readonly unknown[] {
  let answer: unknown
  try {
    answer = JSON.parse(body.toString('utf8'))
  } catch {
    throw new EmbeddingsUnavailable('invalid_answer')
  }
  const data = isObject(answer) ? answer['data'] : undefined
  if (!Array.isArray(data)) throw new EmbeddingsUnavailable('invalid_answer')
  return data
}

// A `real` of PostgreSQL has a smaller range than a double; values of embeddings are near 1.
function isVector(value: unknown): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_DIMENSIONS &&
    value.every((one) => typeof one === 'number' && Math.abs(one) < 1e30)
  )
}
