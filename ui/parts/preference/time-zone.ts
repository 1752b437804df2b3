import { useSyncExternalStore } from 'react'

/** The zones that a person can choose for exact times. */
export type ZoneChoice = 'utc' | 'local'

const STORED = 'mesh-time-zone'
const listeners = new Set<() => void>()
let chosen: ZoneChoice | undefined

/** The zone of exact times: UTC, or that of the browser. It is always printed with the time. */
export function useTimeZone(): string {
  return useZoneChoice() === 'utc' ? 'UTC' : localZone()
}

/** The choice itself, for a component. */
export function useZoneChoice(): ZoneChoice {
  return useSyncExternalStore(subscribe, readChoice)
}

/** Chooses a zone, for this page and later ones of this browser. */
export function chooseZone(choice: ZoneChoice): void {
  chosen = choice
  try {
    if (choice === 'utc') localStorage.removeItem(STORED)
    else localStorage.setItem(STORED, choice)
  } catch {
    // A browser may refuse storage; then the choice lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

/** The zone of the browser. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

function readChoice(): ZoneChoice {
  if (chosen !== undefined) return chosen
  try {
    chosen = localStorage.getItem(STORED) === 'local' ? 'local' : 'utc'
  } catch {
    chosen = 'utc'
  }
  return chosen
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
