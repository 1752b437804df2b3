import { sql } from 'kysely'
import type { QueryExecutorProvider, RawBuilder } from 'kysely'

/** Vector of a query. Only rows of the same space are compared with it. */
export interface QueryVector {
  readonly space: string
  readonly values: readonly number[]
}

/** A search of one table with the columns `id`, `search` (tsvector), `embedding` (real[]) and `embedding_space`. */
export interface HybridQuery {
  readonly table: string
  /** Condition that restricts the rows. Every search is exact within it, so their number must be bounded. */
  readonly scope: RawBuilder<unknown>
  readonly query: string
  /** Text search configuration that the rows were indexed with; default `english`. */
  readonly language?: string
  /** Without it, or without pgvector, the search is full-text only. */
  readonly vector?: QueryVector | undefined
  readonly limit: number
}

/** A found row. The score is relative to a row that is first in every ranking, in (0, 1]. */
export interface RankedRow {
  readonly id: string
  readonly score: number
}

// Reciprocal rank fusion (Cormack et al., 2009): 1 / (60 + rank), summed over the rankings. Needs no common scale of scores.
const RRF_K = 60
// Rows of each ranking that take part in the fusion.
const DEPTH = 100
// Terms of a query: longer ones are pasted documents, whose first terms suffice.
const MAX_TERMS = 64

/**
 * Ranks rows by full text and, with a vector, by cosine distance, and fuses both rankings. Any term may match: the answer rarely contains all
 * words of the question. Best first; ties by id.
 */
export async function searchHybrid(
  db: QueryExecutorProvider,
  { table, scope, query, language = 'english', vector, limit }: HybridQuery,
): Promise<readonly RankedRow[]> {
  const from = sql.table(table)
  const rankings = vector === undefined ? 1 : 2
  const { rows } = await sql<RankedRow>`
    with asked as materialized (select ${toQuery(query, language)} as q),
    lexical as (
      select id, row_number() over (order by rank desc, id) as place from (
        select id, ts_rank_cd(search, asked.q, 1) + ts_rank(search, asked.q, 1) as rank from ${from}, asked
        where (${scope}) and search @@ asked.q order by rank desc, id limit ${DEPTH}) found),
    semantic as (${vector === undefined ? nothing(from) : nearest(from, scope, vector)})
    select id::text as id, (sum(1.0 / (${RRF_K} + place)) * ${(RRF_K + 1) / rankings}::float8)::float8 as score
    from (select id, place from lexical union all select id, place from semantic) both_rankings
    group by id order by score desc, id limit ${limit}`.execute(db)
  return rows
}

// Lexemes are quoted: user input never reaches the parser of tsquery.
function toQuery(query: string, language: string): RawBuilder<unknown> {
  return sql`coalesce((
    select string_agg('''' || replace(replace(term, '\\', '\\\\'), '''', '''''') || '''', ' | ')
    from (select term from unnest(tsvector_to_array(to_tsvector(${language}::regconfig, ${query}))) as terms(term)
      limit ${MAX_TERMS}) some_terms), '')::tsquery`
}

// The length is compared first: pgvector refuses the distance of vectors of different dimensions.
function nearest(
  from: RawBuilder<unknown>,
  scope: RawBuilder<unknown>,
  { space, values }: QueryVector,
): RawBuilder<unknown> {
  const to = sql`${`[${values.join(',')}]`}::vector`
  return sql`
    select id, row_number() over (order by distance, id) as place from (
      select id, embedding::vector <=> ${to} as distance from (
        select id, embedding from ${from}
        where (${scope}) and embedding_space = ${space} and cardinality(embedding) = ${values.length}
        offset 0) comparable
      order by distance, id limit ${DEPTH}) found`
}

function nothing(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select id, 0::bigint as place from ${from} where false`
}

/** Formats a vector as the string of a parameter of type real[]. */
export function toRealArray(vector: readonly number[]): string {
  return `{${vector.join(',')}}`
}
