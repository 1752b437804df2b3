import type { Static } from 'typebox'
import { createPause } from '#core/async/time-slice.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { FieldError } from '#core/errors/domain-error.ts'
import { checkOf } from '#core/validation/validate.ts'
import { ImportedCase } from '#schemas/api/datasets.ts'
import { RESERVED_CASE_IDS } from '../cases/case-id.ts'
import { findCaseProblems, prepareCase } from '../cases/prepare-case.ts'
import type { CaseSchemas, PreparedCase } from '../cases/prepare-case.ts'
import { datasetErrors } from '../contract/errors.ts'
import type { ImportRow } from './import-row.ts'

/** What rows are checked against. */
export interface ImportRules {
  readonly schemas: CaseSchemas
  readonly caseBytes: number
  readonly mostCases: number
}

const MAX_SHOWN = 20
const checkCase = checkOf(ImportedCase)

/**
 * Reads every row of an import, with turns of the event loop. Throws `invalid_import` with the first 20 rows that cannot be stored, each by its
 * number, and their total.
 */
export async function readImport(
  rows: Iterable<ImportRow> | AsyncIterable<ImportRow>,
  rules: ImportRules,
): Promise<readonly PreparedCase[]> {
  const pause = createPause()
  const cases: PreparedCase[] = []
  const seen = new Map<string, number>()
  const problems: FieldError[] = []
  let refused = 0
  for await (const given of rows) {
    await pause()
    const read = readRow(given, rules, seen)
    if ('id' in read) cases.push(read)
    else if (++refused <= MAX_SHOWN) problems.push(read)
    if (cases.length > rules.mostCases) throw tooMany(rules)
  }
  if (refused > 0) throw refuseRows(problems, refused)
  if (cases.length === 0) throw new Fail('invalid_body', 'The import has no case.')
  return cases
}

function readRow(given: ImportRow, rules: ImportRules, seen: Map<string, number>): PreparedCase | FieldError {
  const { row } = given
  if ('problem' in given) return refusal(row, { pointer: '', detail: given.problem })
  const [problem] = checkCase(given.value)
  if (problem !== undefined) return refusal(row, problem)
  // The schema was checked.
  const value = given.value as Static<typeof ImportedCase>
  const id = value.id ?? uuidV7()
  const before = seen.get(id)
  if (before !== undefined) return refusal(row, { pointer: '/id', detail: `is the id of row ${before}` })
  if (RESERVED_CASE_IDS.has(id)) return refusal(row, { pointer: '/id', detail: 'is a reserved id' })
  seen.set(id, row)
  const made = prepareCase({ ...value, id })
  const [found] = findCaseProblems(value, made.bytes, rules)
  return found === undefined ? made : refusal(row, found)
}

function refusal(row: number, { pointer, detail }: FieldError): FieldError {
  const field = pointer === '' ? '' : `${pointer.slice(1)} `
  return { pointer: `/cases/${row - 1}${pointer}`.slice(0, 256), detail: `row ${row}: ${field}${detail}`.slice(0, 512) }
}

function refuseRows(errors: readonly FieldError[], refused: number): Fail {
  const [first] = errors
  const rest = refused > errors.length ? ` The first ${errors.length} of ${refused} rows are named.` : ''
  return new Fail(datasetErrors.invalid_import, `${first?.detail ?? ''}. Nothing was stored.${rest}`, { errors })
}

function tooMany({ mostCases }: ImportRules): Fail {
  return new Fail(
    datasetErrors.dataset_quota_exceeded,
    `The import has more than ${mostCases} cases (setting datasets.casesPerDataset).`,
  )
}
