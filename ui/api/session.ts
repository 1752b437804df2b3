import { useSyncExternalStore } from 'react'
import { ApiProblem, readProblem } from './api-problem.ts'
import { keepEnd } from './session-state.ts'
import type { SessionFacts, SessionState } from './session-state.ts'

/** Headers of every request that changes something (ADR 0267). */
export const writeHeaders: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'x-mesh-session': '1',
}

let state: SessionState | undefined
const listeners = new Set<() => void>()

/** The session, for a component; undefined until the server has answered. */
export function useSession(): SessionState | undefined {
  return useSyncExternalStore(onSession, () => state)
}

/** The session, where there is no component; undefined until the server has answered. */
export function currentSession(): SessionFacts | undefined {
  return state?.session ?? undefined
}

/** Calls a listener after each answer about the session. Returns the function that ends it. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Asks the server for the session, which renews it. */
export async function loadSession(): Promise<SessionState> {
  return send('/session', {})
}

/** Signs in with a one-time code or a token of the cluster. */
export async function signIn(given: { readonly code: string } | { readonly token: string }): Promise<SessionState> {
  return send('/session', { method: 'POST', headers: writeHeaders, body: JSON.stringify(given) })
}

/** Continues as another persona of the embedded default. */
export async function changePersona(persona: string): Promise<SessionState> {
  return send('/session/persona', { method: 'PUT', headers: writeHeaders, body: JSON.stringify({ persona }) })
}

/** Ends the session, or all sessions of its user. */
export async function signOut({ everywhere }: { readonly everywhere: boolean }): Promise<void> {
  const response = await ask(everywhere ? '/session/all' : '/session', { method: 'DELETE', headers: writeHeaders })
  if (!response.ok && response.status !== 401) throw await readProblem(response)
  await loadSession()
}

/** Removes the one-time code from the address, and returns it. */
export function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code === null) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  return code
}

async function send(path: string, init: RequestInit): Promise<SessionState> {
  const response = await ask(path, init)
  if (!response.ok) throw await readProblem(response)
  state = keepEnd((await response.json()) as SessionState, state)
  for (const listener of listeners) listener()
  return state
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  return fetch(path, init).catch(() => {
    throw new ApiProblem({ status: 0, title: 'No connection', detail: 'The server cannot be reached.' })
  })
}
