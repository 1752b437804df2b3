import { useSyncExternalStore } from 'react'

/** The result of an action that left no other trace. */
export interface ToastMessage {
  readonly id: number
  readonly kind: 'done' | 'failed'
  readonly message: string
  /** Takes the action back; its request is sent when the toast ends. */
  readonly onUndo?: (() => void) | undefined
}

let toasts: readonly ToastMessage[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Shows a toast. A failure stays until it is closed. */
export function showToast(toast: Omit<ToastMessage, 'id'>): void {
  lastId += 1
  // More than three cover the page; the oldest has been seen.
  set([...toasts, { ...toast, id: lastId }].slice(-3))
}

/** Removes a toast. */
export function closeToast(id: number): void {
  set(toasts.filter((toast) => toast.id !== id))
}

/** The toasts that are shown, oldest first. */
export function useToasts(): readonly ToastMessage[] {
  return useSyncExternalStore(subscribe, () => toasts)
}

function set(next: readonly ToastMessage[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
