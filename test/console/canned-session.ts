import { answering } from './canned-answer.ts'
import type { CannedAnswer, CannedRequest } from './canned-answer.ts'
import { cannedShell } from './fake-console.ts'
import type { CannedHandler } from './fake-console.ts'

/** A session that a test ends, and that a sign-in begins again. */
export interface EndingSession {
  /** For `/session`. */
  readonly handler: CannedHandler
  end(): void
  /** The answer of a route, or that there is no session. */
  guard(answer: (request: CannedRequest) => CannedAnswer): CannedHandler
}

/** Begins a session. */
export function openEndingSession(): EndingSession {
  let isOpen = true
  const { session, signIn } = cannedShell['/session'] as { readonly session: object; readonly signIn: object }
  return {
    handler: answering(({ method }) => {
      if (method === 'POST') isOpen = true
      return { status: 200, body: { session: isOpen ? session : null, ended: isOpen ? null : 'expired', signIn } }
    }),
    end: () => {
      isOpen = false
    },
    guard: (answer) =>
      answering((request) =>
        isOpen ? answer(request) : { status: 401, body: { title: 'No session', detail: 'The session has ended.' } },
      ),
  }
}
