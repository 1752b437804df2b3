import { useSyncExternalStore } from 'react'

// In memory only: a later page of this origin cannot read the token.
let token: string | undefined
const listeners = new Set<() => void>()

/** The bearer token; undefined before the sign-in. */
export function sessionToken(): string | undefined {
  return token
}

/** Signs in with a token, or out without one. */
export function setSession(given: string | undefined): void {
  token = given
  for (const listener of listeners) listener()
}

/** The token, for a component. */
export function useSession(): string | undefined {
  return useSyncExternalStore(onSession, sessionToken)
}

/** Exchanges the one-time code of the address, which is removed from it. Resolves with whether it was valid. */
export async function exchangeCode(): Promise<boolean> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code === null) return false
  history.replaceState(null, '', location.pathname + location.search)
  const headers = { 'content-type': 'application/json' }
  const response = await fetch('/session', { method: 'POST', headers, body: JSON.stringify({ code }) })
  if (!response.ok) return false
  const { token: given } = (await response.json()) as { readonly token: string }
  setSession(given)
  return true
}

/** Calls a listener at each sign-in and sign-out. Returns the function that ends it. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
