/** One of several things that an action is done with. */
export interface BulkItem {
  readonly key: string
  /** What it is called where its failure is shown. */
  readonly name: string
}

/** Why the action failed, by key. */
export type BulkFailures = ReadonlyMap<string, string>

interface EachAction {
  readonly act: (key: string) => Promise<unknown>
  /** Called with the number of those that are done, whether they failed or not. */
  readonly onProgress: (done: number) => void
  readonly signal: AbortSignal
}

const AT_ONCE = 4

/** Does an action with each item, a few at once. Those that were not begun when the signal came have no failure, and are not in `done`. */
export async function actOnEach(
  items: readonly BulkItem[],
  { act, onProgress, signal }: EachAction,
): Promise<{ readonly done: ReadonlySet<string>; readonly failed: BulkFailures }> {
  const done = new Set<string>()
  const failed = new Map<string, string>()
  const waiting = items.values()
  const work = async (): Promise<void> => {
    for (const { key } of waiting) {
      if (signal.aborted) return
      try {
        await act(key)
        done.add(key)
      } catch (error) {
        failed.set(key, error instanceof Error ? error.message : String(error))
      }
      onProgress(done.size + failed.size)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { done, failed }
}
