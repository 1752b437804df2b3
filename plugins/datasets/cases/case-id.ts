import { CASE_ID_PATTERN } from '#schemas/api/datasets.ts'

/** Literal paths below the cases of a dataset: no case has these ids. */
export const RESERVED_CASE_IDS: ReadonlySet<string> = new Set(['import', 'from-run'])

const pattern = new RegExp(CASE_ID_PATTERN)

/** Whether a case may have this id. */
export function isCaseId(id: string): boolean {
  return pattern.test(id) && !RESERVED_CASE_IDS.has(id)
}
