import { faultsOf, requirementsPage } from '../requirements/page.ts'
import { findProofs } from '../requirements/proofs.ts'
import { readTable } from '../requirements/table.ts'
import { findUsedIds } from '../requirements/used-ids.ts'

/** Page of requirement ids. Throws for an id that is not in the table. */
export async function generate(): Promise<Map<string, string>> {
  const root = new URL('../..', import.meta.url)
  const [table, proofs] = [readTable(), findProofs(root)]
  const faults = faultsOf(table, proofs, findUsedIds(root))
  if (faults.length > 0) throw new Error(`scripts/requirements/requirements.yaml:\n${faults.join('\n')}`)
  return new Map([['docs/reference/requirements.md', requirementsPage(table, proofs)]])
}
