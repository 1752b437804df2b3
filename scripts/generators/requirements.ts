import { faultsOf, requirementsPage } from '../requirements/page.ts'
import { findProofs } from '../requirements/proofs.ts'
import { readTable } from '../requirements/table.ts'
import { findUsedIds } from '../requirements/used-ids.ts'

/** The page of requirement ids; fails for an id that the table lacks. */
export async function generate(): Promise<Map<string, string>> {
  const root = new URL('../..', import.meta.url)
  const [table, proofs] = [readTable(), findProofs(root)]
  const faults = faultsOf(table, proofs, findUsedIds(root))
  if (faults.length > 0) throw new Error(`scripts/requirements/requirements.yaml:\n${faults.join('\n')}`)
  return new Map([['docs/reference/requirements.md', requirementsPage(table, proofs)]])
}
