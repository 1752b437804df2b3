import { unwatchFile, watchFile } from 'node:fs'

const INTERVAL_MS = 100
const DEBOUNCE_MS = 100

/** Calls `changed` shortly after a file was edited, also if an editor replaced it, and never twice at a time. Returns the end of the watch. */
export function watchEdits(path: string, changed: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined
  let last: Promise<void> = Promise.resolve()
  // Polled: the file may be replaced, or on a file system without events.
  const seen = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => (last = last.then(changed)), DEBOUNCE_MS)
  }
  watchFile(path, { interval: INTERVAL_MS, persistent: false }, seen)
  return () => {
    clearTimeout(timer)
    unwatchFile(path, seen)
  }
}
