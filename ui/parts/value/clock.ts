import { useSyncExternalStore } from 'react'

const EVERY_MS = 10_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let current = Date.now()

/** The time, for relative times: one timer for the whole page. */
export function useNow(): number {
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

// A hidden tab does no work.
function tick(): void {
  if (document.hidden) return
  current = Date.now()
  for (const listener of listeners) listener()
}
