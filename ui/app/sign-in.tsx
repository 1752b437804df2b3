import { useState } from 'react'
import type { FormEvent } from 'react'
import { ApiProblem } from '../api/api-problem.ts'
import { signIn } from '../api/session.ts'
import type { SessionState } from '../api/session-state.ts'
import { Button } from '../parts/control/button.tsx'
import { Notice } from '../parts/page/notice.tsx'
import { FieldError } from '../parts/state/field-error.tsx'
import { text } from '../text/en.ts'
import { HOME_PATH } from './navigation/key-targets.ts'
import styles from './sign-in.module.css'

interface SignInProps {
  readonly state: SessionState
  /** Called with the user after the sign-in. */
  readonly onDone?: (username: string) => void
}

/** The ways to sign in. A token is sent once, and kept by the server's cookies only. */
export function SignIn({ state: { ended, signIn: ways }, onDone }: SignInProps) {
  const refusal = new URLSearchParams(location.search).get('error') ?? ''
  const notice = wordsOf(text.signIn.refusals, refusal) ?? wordsOf(text.signIn.reasons, ended ?? '')
  return (
    <main className={styles['page']}>
      <div className={styles['card']}>
        <h1 className={styles['title']}>{text.signIn.title(location.host)}</h1>
        {notice === undefined ? undefined : (
          <div role="status">
            <Notice tone="mute">{notice}</Notice>
          </div>
        )}
        {ways.oidc === null ? undefined : (
          <>
            <a className={styles['issuer']} href={`/session/oidc?next=${encodeURIComponent(pathToReturn())}`}>
              {text.signIn.issuer(ways.oidc)}
            </a>
            <p className="dim">{text.signIn.or}</p>
          </>
        )}
        <TokenForm isPrimary={ways.oidc === null} onDone={onDone} />
        {ways.code ? (
          <p className="dim">
            {text.signIn.codeBefore} <code className="mono">{text.signIn.command}</code> {text.signIn.codeAfter}
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
      .catch((error: unknown) => setProblem(problemOf(error)))
      .finally(() => setBusy(false))
  }
  return (
    <form className={styles['form']} onSubmit={submit}>
      <label htmlFor="token">{text.signIn.token}</label>
      <input
        id="token"
        className={styles['field']}
        type="password"
        autoComplete="off"
        spellCheck={false}
        {...(problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': 'token-problem' })}
        value={token}
        onChange={({ target }) => setToken(target.value)}
      />
      {problem === undefined ? undefined : <FieldError id="token-problem">{problem}</FieldError>}
      <Button kind={isPrimary ? 'primary' : 'default'} isSubmit isBusy={isBusy}>
        {isBusy ? text.signIn.busy : text.signIn.submit}
      </Button>
    </form>
  )
}

// The address of a page, so that the issuer returns to it.
function pathToReturn(): string {
  const { pathname, search } = location
  return pathname === '/sign-in' ? (new URLSearchParams(search).get('next') ?? HOME_PATH) : `${pathname}${search}`
}

function problemOf(error: unknown): string {
  if (!(error instanceof ApiProblem)) return text.signIn.failed
  const { status, detail } = error.facts
  if (status === 401 && detail === 'A valid bearer token is required.') return text.signIn.notAccepted
  return status === 400 ? text.signIn.noToken : detail
}

function wordsOf(words: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined
}
