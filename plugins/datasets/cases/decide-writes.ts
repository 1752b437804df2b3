import type { PreparedCase } from './prepare-case.ts'

/** The live content of a case, without its values. */
export interface LiveCase {
  readonly rev: bigint
  readonly id: string
  readonly position: bigint
  readonly digest: string
  readonly first_mark: number | null
  readonly archived: boolean
  readonly bytes: number
  readonly created_at: Date
  readonly run_id: string | null
  readonly trace_id: string | null
}

/** A content to insert. Without a content before it, the case is new; with one, it keeps place, age and the run from which it was made. */
export interface InsertedCase {
  readonly made: PreparedCase
  readonly before: LiveCase | undefined
}

/** Changes of the contents of cases. */
export interface CaseWrites {
  /** Contents that are in a pin: they end and stay. */
  readonly ended: readonly bigint[]
  /** Contents that are in no pin: they are replaced. */
  readonly replaced: readonly bigint[]
  readonly inserted: readonly InsertedCase[]
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  /** Change of the number of cases that are not archived. */
  readonly cases: number
  readonly bytes: number
}

/** Decides how given cases are stored. With `keeps`, those with a known id stay as they are. Ids of given cases are distinct. */
export function decideWrites(given: readonly PreparedCase[], live: readonly LiveCase[], keeps = false): CaseWrites {
  const known = new Map(live.map((one) => [one.id, one]))
  const changes = given.map((made) => ({ made, before: known.get(made.id) }))
  const isSame = ({ made, before }: InsertedCase) =>
    before !== undefined && (keeps || (!before.archived && before.digest === made.digest))
  const written = changes.filter((change) => !isSame(change))
  const before = written.flatMap((change) => (change.before === undefined ? [] : [change.before]))
  const [ended, replaced] = [before.filter(isMarked), before.filter((one) => !isMarked(one))]
  const restored = before.filter(({ archived }) => archived).length
  const created = written.length - before.length
  return {
    ended: ended.map(({ rev }) => rev),
    replaced: replaced.map(({ rev }) => rev),
    inserted: written,
    created,
    updated: before.length,
    unchanged: given.length - written.length,
    cases: created + restored,
    bytes: sum(written.map(({ made }) => made.bytes)) - sum(replaced.map(({ bytes }) => bytes)),
  }
}

const isMarked = ({ first_mark: mark }: LiveCase) => mark !== null

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
