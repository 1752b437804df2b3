import { useSyncExternalStore } from 'react'

/** An overlay of the shell. */
export type ShellOverlay = 'navigation' | 'palette' | 'keys'

let opened: ShellOverlay | undefined
const listeners = new Set<() => void>()

/** Opens an overlay of the shell, or closes the one that is open. */
export function openOverlay(overlay: ShellOverlay | undefined): void {
  opened = overlay
  for (const listener of listeners) listener()
}

/** The overlay of the shell that is open. */
export function useOverlay(): ShellOverlay | undefined {
  return useSyncExternalStore(subscribe, () => opened)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
