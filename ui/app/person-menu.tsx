import { useState } from 'react'
import { changePersona, signOut, useSession } from '../api/session.ts'

/** Who is signed in and until when; the persona of the embedded default, and both sign-outs. */
export function PersonMenu() {
  const session = useSession()?.session
  const [problem, setProblem] = useState<string>()
  if (session === undefined || session === null) return undefined
  const run = (act: Promise<unknown>): void => {
    setProblem(undefined)
    act.catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
  }
  return (
    <section className="person" aria-label="Session">
      <strong dir="auto">{session.username}</strong>
      <span className="dim">
        until <time dateTime={session.endsAt}>{toShort(session.endsAt)}</time>
      </span>
      {session.personas.length === 0 ? undefined : (
        <label>
          Persona
          <select value={session.persona ?? ''} onChange={(event) => run(changePersona(event.target.value))}>
            {session.personas.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <button type="button" onClick={() => run(signOut({ everywhere: false }))}>
        Sign out
      </button>
      <button type="button" className="quiet" onClick={() => run(signOut({ everywhere: true }))}>
        Sign out everywhere
      </button>
      {problem === undefined ? undefined : <p role="alert">{problem}</p>}
    </section>
  )
}

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

function toShort(time: string): string {
  return format.format(new Date(time))
}
