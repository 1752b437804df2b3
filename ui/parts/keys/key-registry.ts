import { useSyncExternalStore } from 'react'
import { matchKeys } from './match-keys.ts'
import type { KeyBinding } from './match-keys.ts'

const STORED = 'mesh-letters'
const SEQUENCE_MS = 1000

/** The bindings of the shell, the page and its parts, in the order of their registration. */
let bindings: readonly KeyBinding[] = []
let areLettersOn = true
let pending = ''
let pressedAt = 0
const listeners = new Set<() => void>()

/** Registers bindings. Returns the function that removes them. */
export function addKeys(added: readonly KeyBinding[]): () => void {
  set(() => (bindings = [...bindings, ...added]))
  return () => set(() => (bindings = bindings.filter((one) => !added.includes(one))))
}

/** The bindings that act now, for the list of keys: of two for one key the later one. */
export function useBindings(): readonly KeyBinding[] {
  return useSyncExternalStore(subscribe, () => bindings)
}

/** Whether single letters act, and the function that switches them. */
export function useLetters(): readonly [boolean, (isOn: boolean) => void] {
  return [useSyncExternalStore(subscribe, () => areLettersOn), switchLetters]
}

function switchLetters(isOn: boolean): void {
  set(() => (areLettersOn = isOn))
  try {
    if (isOn) localStorage.removeItem(STORED)
    else localStorage.setItem(STORED, 'off')
  } catch {
    // A browser may refuse storage; then the choice lasts as long as the page.
  }
}

/** Listens to the keys of the document. Returns the function that ends it. */
export function startKeys(): () => void {
  try {
    areLettersOn = localStorage.getItem(STORED) !== 'off'
  } catch {
    areLettersOn = true
  }
  document.addEventListener('keydown', press)
  return () => document.removeEventListener('keydown', press)
}

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.key === 'Shift') return
  if (event.timeStamp - pressedAt > SEQUENCE_MS) pending = ''
  pressedAt = event.timeStamp
  const { key, altKey: hasAlt } = event
  const found = matchKeys(
    // The rest of the page is inert behind a dialog, which has its own keys.
    document.querySelector('dialog[open]') === null ? bindings : [],
    { key, hasAlt, hasControl: event.ctrlKey || event.metaKey, isInField: isField(event.composedPath()[0] ?? null) },
    { pending, areLettersOn },
  )
  pending = found.pending
  if (found.binding === undefined) return
  event.preventDefault()
  found.binding.run()
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)
}

function set(change: () => void): void {
  change()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
