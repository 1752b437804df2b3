import { EmbeddingsUnavailable } from '#core/retrieval/embeddings-error.ts'
import type { Embeddings } from '#core/retrieval/embeddings.ts'
import type { QueryVector } from '#core/retrieval/hybrid-search.ts'
import type { SearchResult } from '../contract/schemas.ts'
import type { KnowledgeServices } from '../services/create-services.ts'
import type { Base } from '../store/bases.ts'
import { searchChunks } from '../store/search.ts'
import type { FoundChunk } from '../store/search.ts'
import type { KnowledgeTables } from '../contract/tables.ts'

/** A search of knowledge bases that the caller may read. */
export interface BaseSearch {
  readonly bases: readonly Base[]
  readonly query: string
  readonly limit?: number | undefined
  readonly embeddings: Embeddings
  readonly signal: AbortSignal
}

const DEFAULT_LIMIT = 8
// A user or a model waits for the result: without a vector in this time, the search is full-text only.
const EMBED_MS = 5_000

/** Bases that are searched together. */
interface Group {
  readonly uids: string[]
  readonly language: string
  readonly space: string | null
  readonly route: string | null
}

interface Vector {
  readonly vector?: QueryVector
  readonly note?: string
}

/** Searches knowledge bases by full text and, if possible, by vectors. `note` is the reason why some were searched by full text only. */
export async function searchBases(services: KnowledgeServices, search: BaseSearch): Promise<SearchResult> {
  const { bases, query, limit = DEFAULT_LIMIT } = search
  const db = services.core.store.reader<KnowledgeTables>()
  const vectorOf = createVectorOf(services, search)
  const results = await Promise.all(
    groupsOf(bases).map(async (group) => {
      const { vector, note } = await vectorOf(group)
      const chunks = await searchChunks(db, { uids: group.uids, language: group.language, query, vector, limit })
      return { chunks, note }
    }),
  )
  const names = new Map(bases.map(({ uid, name }) => [uid, name]))
  const chunks = results.flatMap((one) => one.chunks).toSorted((a, b) => b.score - a.score)
  const note = results.find((one) => one.note !== undefined)?.note
  const mode = note === undefined && bases.length > 0 ? 'hybrid' : 'full-text'
  services.count.searched(mode)
  const items = chunks.slice(0, limit).map((chunk) => toItem(chunk, names.get(chunk.baseUid) ?? ''))
  return { items, mode, ...(note === undefined ? {} : { note }) }
}

function groupsOf(bases: readonly Base[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const { uid, language, space, route } of bases) {
    const key = `${language} ${space ?? ''}`
    const group = groups.get(key) ?? { uids: [], language, space, route }
    group.uids.push(uid)
    groups.set(key, group)
  }
  return [...groups.values()]
}

// Groups of different languages may have one space.
function createVectorOf(
  { hasVectors }: KnowledgeServices,
  { query, embeddings, signal }: BaseSearch,
): (group: Group) => Promise<Vector> {
  const known = new Map<string, Promise<Vector>>()
  return async ({ space, route }) => {
    if (space === null || route === null) return { note: 'no_embedding_model' }
    if (!(await hasVectors())) return { note: 'no_vector_extension' }
    const found = known.get(space) ?? embedQuery(embeddings, { space, route, query, signal })
    known.set(space, found)
    return found
  }
}

interface QueryText {
  readonly space: string
  readonly route: string
  readonly query: string
  readonly signal: AbortSignal
}

async function embedQuery(embeddings: Embeddings, { space, route, query, signal }: QueryText): Promise<Vector> {
  try {
    const { vectors } = await embeddings.embed({ route, texts: [query], signal, timeoutMs: EMBED_MS })
    const [values] = vectors
    return values === undefined ? { note: 'embeddings_invalid_answer' } : { vector: { space, values } }
  } catch (error) {
    if (error instanceof EmbeddingsUnavailable) return { note: `embeddings_${error.reason}` }
    throw error
  }
}

function toItem(found: FoundChunk, knowledgeBase: string): SearchResult['items'][number] {
  const { document, chunk, text, score, title, contentType, url, page, start, end, attributes } = found
  return {
    document,
    chunk,
    text,
    score,
    metadata: {
      knowledgeBase,
      title,
      contentType,
      ...(url === null ? {} : { url }),
      ...(page === null ? {} : { page }),
      start,
      end,
      attributes,
    },
  }
}
