import { useState } from 'react'
import type { FormEvent } from 'react'
import { ApiProblem } from '../api/api-problem.ts'
import { signIn } from '../api/session.ts'
import type { SessionState } from '../api/session.ts'

interface SignInProps {
  readonly state: SessionState
  /** Called with the user after the sign-in. */
  readonly onDone?: (username: string) => void
}

/** The ways to sign in. A token is sent once, and kept by the server's cookies only. */
export function SignIn({ state: { ended, signIn: ways }, onDone }: SignInProps) {
  const notice = refusals[new URLSearchParams(location.search).get('error') ?? ''] ?? reasons[ended ?? '']
  return (
    <main className="sign-in">
      <div className="card">
        <p className="mark" aria-hidden="true">
          <span /> mesh
        </p>
        <h1>Sign in to {location.host}</h1>
        {notice === undefined ? undefined : (
          <p className="notice" role="status">
            {notice}
          </p>
        )}
        {ways.oidc === null ? undefined : (
          <>
            <a className="primary" href={`/session/oidc?next=${encodeURIComponent(pathToReturn())}`}>
              Continue with {ways.oidc}
            </a>
            <p className="or">or with a token</p>
          </>
        )}
        <TokenForm isPrimary={ways.oidc === null} onDone={onDone} />
        {ways.code ? (
          <p className="hint">
            On this machine <code>mesh open</code> prints an address that signs in by itself.
          </p>
        ) : undefined}
      </div>
    </main>
  )
}

interface TokenFormProps {
  readonly isPrimary: boolean
  readonly onDone: SignInProps['onDone']
}

function TokenForm({ isPrimary, onDone }: TokenFormProps) {
  const [token, setToken] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (token.trim() === '' || isBusy) return
    setBusy(true)
    signIn({ token: token.trim() })
      .then(({ session }) => onDone?.(session?.username ?? ''))
      .catch((error: unknown) => setProblem(textOf(error)))
      .finally(() => setBusy(false))
  }
  return (
    <form onSubmit={submit}>
      <label htmlFor="token">Bearer token of the cluster</label>
      <input
        id="token"
        type="password"
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby="token-problem"
        value={token}
        onChange={(event) => setToken(event.target.value)}
      />
      <p id="token-problem" className="problem" role="alert">
        {problem}
      </p>
      <button type="submit" className={isPrimary ? 'primary' : ''} disabled={isBusy}>
        {isBusy ? 'Signing in' : 'Sign in'}
      </button>
    </form>
  )
}

// The address of a page, so that the issuer returns to it.
function pathToReturn(): string {
  const { pathname, search } = location
  return pathname === '/sign-in' ? (new URLSearchParams(search).get('next') ?? '/console') : `${pathname}${search}`
}

function textOf(error: unknown): string {
  if (!(error instanceof ApiProblem)) return 'The sign-in failed.'
  const { status, detail } = error.facts
  if (status === 401 && detail === 'A valid bearer token is required.') return 'The cluster does not accept this token.'
  return status === 400 ? 'This is not a bearer token.' : detail
}

const reasons: Readonly<Record<string, string>> = {
  idle: 'You were signed out because the page was not used.',
  expired: 'Your session has reached its end.',
  signed_out: 'You have signed out.',
  rejected: 'The cluster no longer accepts the token of your session.',
  unreadable: 'Your session cannot be read any more.',
  clock: 'Your session was begun by a server with another time.',
}

const refusals: Readonly<Record<string, string>> = {
  denied: 'The issuer did not sign you in.',
  state: 'The sign-in has expired or belongs to another window. Try again.',
  issuer: 'The response did not come from the issuer of this server.',
  token: 'The token of the issuer was not accepted. The log of the server has the reason.',
  clock: 'The clocks of this server and of the issuer differ.',
  cluster: 'The cluster does not accept tokens of the issuer.',
  too_large: 'The token of the issuer is too large for a session. Ask for one with fewer groups or claims.',
  unavailable: 'The issuer cannot be reached. Try again.',
}
