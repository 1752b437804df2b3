import { conversationOf, readHistory } from '../store/internal/content.ts'
import type { SelectedRun } from '../contract/tables.ts'

const exchanges = 20
const historyBytes = 64 * 1024

/** The last succeeded exchanges of the conversation that the run's subject has with this agent, oldest first, at most 64 KiB of JSON. */
export async function readConversation(db: Parameters<typeof readHistory>[0], run: SelectedRun) {
  if (run.agent_uid === null) return []
  const newestFirst = await readHistory(db, conversationOf(run), exchanges)
  return withinBytes(newestFirst.map(({ input, output }) => ({ input, output }))).toReversed()
}

/** The longest prefix whose JSON fits. The oldest exchanges are omitted. */
export function withinBytes<Item>(newestFirst: readonly Item[], limit = historyBytes): Item[] {
  let bytes = 0
  return newestFirst.filter((item) => (bytes += Buffer.byteLength(JSON.stringify(item))) <= limit)
}
