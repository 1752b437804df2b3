import { useSyncExternalStore } from 'react'
import { foldedAtFirst } from '../navigation/navigation.ts'

const STORED = 'mesh-folded'
const listeners = new Set<() => void>()
let folded: ReadonlySet<string> | undefined

/** The folded sections of the navigation, and the function that folds or opens one. No secret and no data is stored. */
export function useFolding(): readonly [ReadonlySet<string>, (section: string) => void] {
  return [useSyncExternalStore(subscribe, foldedSections), toggleSection]
}

/** Reads what a person folded; what is stored and is no list of strings is passed over. */
export function readFolded(stored: string | null): ReadonlySet<string> {
  try {
    const list: unknown = JSON.parse(stored ?? 'null')
    if (Array.isArray(list)) return new Set(list.filter((one) => typeof one === 'string'))
  } catch {
    // Something else was stored under this name.
  }
  return new Set(foldedAtFirst)
}

function foldedSections(): ReadonlySet<string> {
  folded ??= readFolded(storage((kept) => kept.getItem(STORED)) ?? null)
  return folded
}

function toggleSection(section: string): void {
  const next = new Set(foldedSections())
  if (!next.delete(section)) next.add(section)
  folded = next
  storage((kept) => kept.setItem(STORED, JSON.stringify([...next])))
  for (const listener of listeners) listener()
}

// A browser may refuse storage.
function storage<T>(use: (kept: Storage) => T): T | undefined {
  try {
    return use(localStorage)
  } catch {
    return undefined
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
