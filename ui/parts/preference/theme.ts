import { useSyncExternalStore } from 'react'

/** The colour schemes that a person can choose. */
export type SchemeChoice = 'light' | 'dark' | 'system'

const KEY = 'mesh-scheme'
const listeners = new Set<() => void>()

/** The chosen scheme. */
export function chosenScheme(): SchemeChoice {
  const { scheme } = document.documentElement.dataset
  return scheme === 'light' || scheme === 'dark' ? scheme : 'system'
}

/** Chooses a scheme, for this page and later ones of this browser. */
export function chooseScheme(choice: SchemeChoice): void {
  const { dataset } = document.documentElement
  if (choice === 'system') delete dataset['scheme']
  else dataset['scheme'] = choice
  store(choice)
  for (const listener of listeners) listener()
}

/** The chosen scheme, for a component. */
export function useScheme(): SchemeChoice {
  return useSyncExternalStore(onScheme, chosenScheme)
}

function onScheme(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

// A browser may refuse storage; then the choice lasts as long as the page.
function store(choice: SchemeChoice): void {
  try {
    if (choice === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, choice)
  } catch {
    return
  }
}
