import type { Store } from '#core/event-store/store.ts'
import { readContent } from '../store/internal/content.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'

/** The earlier of the launcher's deadline and the deadline of the calling run. A launcher cannot extend what its run has inherited. */
export async function inheritedDeadline(
  store: Pick<Store, 'reader'>,
  parent: SelectedRun | undefined,
  named: Date | undefined,
): Promise<Date | undefined> {
  const content = parent && (await readContent(store.reader<RunsTables>(), parent.id))
  const inherited = content?.deadline ?? undefined
  if (inherited === undefined || named === undefined) return inherited ?? named
  return inherited < named ? inherited : named
}
