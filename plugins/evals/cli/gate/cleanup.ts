import { setTimeout as pause } from 'node:timers/promises'
import { isApiStatus } from '#cli/contract/api-problem.ts'
import type { CliInput } from '#cli/contract/command.ts'

/** What an evaluation made, removed in reverse order. */
export interface Cleanup {
  /** Called before the object is made, so that a signal in between leaves nothing. */
  add(title: string, remove: () => Promise<void>): void
  /** Removes everything; what stays is named on `err`. */
  run(): Promise<void>
}

const RETRIES = 20
const RETRY_MS = 500

/** Creates the clean-up of an evaluation. */
export function createCleanup({ err }: Pick<CliInput, 'err'>): Cleanup {
  const made: { readonly title: string; readonly remove: () => Promise<void> }[] = []
  return {
    add: (title, remove) => made.push({ title, remove }),
    run: async () => {
      for (const { title, remove } of made.toReversed()) {
        const problem = await removeOne(remove)
        if (problem !== undefined) err(`meshctl: ${title} was not deleted: ${problem}\n`)
      }
    },
  }
}

// A conflict ends when the object that uses this one is gone.
async function removeOne(remove: () => Promise<void>): Promise<string | undefined> {
  for (let left = RETRIES; ; left--) {
    try {
      await remove()
      return undefined
    } catch (error) {
      if (isApiStatus(error, 404)) return undefined
      if (left === 0 || !isApiStatus(error, 409)) return error instanceof Error ? error.message : String(error)
      await pause(RETRY_MS)
    }
  }
}
