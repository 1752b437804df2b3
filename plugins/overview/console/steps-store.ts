import { useSyncExternalStore } from 'react'

const STORED = 'mesh-first-steps'
const DISMISSED = 'dismissed'
const listeners = new Set<() => void>()
let taken: ReadonlySet<string> | undefined

/** The first steps that a person took in this browser, and the function that adds one. No secret and no data is stored. */
export function useTakenSteps(): readonly [ReadonlySet<string>, (step: string) => void] {
  return [useSyncExternalStore(subscribe, takenSteps), takeStep]
}

/** Whether the steps were dismissed. */
export function areDismissed(steps: ReadonlySet<string>): boolean {
  return steps.has(DISMISSED)
}

/** Shows the steps no more. */
export function dismissSteps(): void {
  takeStep(DISMISSED)
}

function takenSteps(): ReadonlySet<string> {
  taken ??= readSteps()
  return taken
}

// A browser may refuse storage, and something else may be stored under the name.
function readSteps(): ReadonlySet<string> {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]')
    return new Set(Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [])
  } catch {
    return new Set()
  }
}

function takeStep(step: string): void {
  taken = new Set([...takenSteps(), step])
  try {
    localStorage.setItem(STORED, JSON.stringify([...taken]))
  } catch {
    // It lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
