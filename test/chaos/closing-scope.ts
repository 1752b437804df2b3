import type { Scope } from '#test/harness/scope.ts'

/** A scope that closes in reverse order, as servers and their clients require. */
export interface ClosingScope extends Scope {
  close(): Promise<void>
}

/** Creates a scope. A step that fails to close does not stop the others. `skip` receives missing servers. */
export function createScope(skip?: (message?: string) => void): ClosingScope {
  const closers: (() => unknown)[] = []
  return {
    after: (fn) => void closers.push(fn),
    ...(skip === undefined ? {} : { skip }),
    close: async () => {
      const failures: unknown[] = []
      for (const close of closers.splice(0).toReversed()) {
        try {
          await close()
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}
