import { useLayoutEffect, useSyncExternalStore } from 'react'

const EVERY_MS = 10_000
/** A clock that is this much behind shows a new time as one to come. */
const BEHIND_MS = 1_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let current = Date.now()

/** The time, for relative times: one timer for the whole page. Another `at` sets the clock, so that what happened just now is not ahead of it. */
export function useNow(at?: string | null): number {
  useLayoutEffect(catchUp, [at])
  return useSyncExternalStore(onTick, readNow)
}

function readNow(): number {
  return current
}

function onTick(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    // React reads the time after it subscribed, so that this one is shown and not that of the module's load.
    current = Date.now()
    timer = setInterval(tick, EVERY_MS)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function catchUp(): void {
  if (Date.now() - current > BEHIND_MS) tick()
}

// A hidden tab does no work.
function tick(): void {
  if (document.hidden) return
  current = Date.now()
  for (const listener of listeners) listener()
}
