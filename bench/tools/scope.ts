import type { Scope } from '#test/harness/scope.ts'

/** Runs work with the test harness. Everything it started is closed in reverse order, also after a failure. */
export async function withScope<T>(work: (t: Scope) => Promise<T>): Promise<T> {
  const closing: (() => unknown)[] = []
  try {
    return await work({ after: (close) => void closing.push(close) })
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

const ofProcess: (() => unknown)[] = []

/** For what several benches share. `closeProcessScope` ends it. */
export const processScope: Scope = { after: (close) => void ofProcess.push(close) }

/** Closes what benches shared, in reverse order. */
export async function closeProcessScope(): Promise<void> {
  for (const close of ofProcess.splice(0).toReversed()) await close()
}
