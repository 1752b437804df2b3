import { useState } from 'react'
import type { FormEvent } from 'react'
import { setSession } from '../api/session.ts'

/** Asks for a bearer token of the cluster. It stays in the memory of the page. */
export function SignIn() {
  const [token, setToken] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (token.trim() !== '') setSession(token.trim())
  }
  return (
    <main className="sign-in">
      <h1>Sign in to {location.host}</h1>
      <form onSubmit={submit}>
        <label htmlFor="token">Bearer token of the cluster</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <button type="submit">Sign in</button>
      </form>
    </main>
  )
}
