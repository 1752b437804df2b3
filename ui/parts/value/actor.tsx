import { text } from '../../text/en.ts'
import styles from './value.module.css'

interface ActorProps {
  /** Name of the user as the cluster knows it. */
  readonly name: string
  /** The name is of the field manager, not of an authenticated user. */
  readonly isGuess?: boolean
}

const account = /^system:serviceaccount:([^:]+):([^:]+)$/

/** Who did something: a person, a service account, or a guess. */
export function Actor({ name, isGuess = false }: ActorProps) {
  const [, namespace, own] = account.exec(name) ?? []
  const shown = namespace === undefined ? name : `${namespace}/${own}`
  return (
    <span>
      <span dir="auto" className={`user-text ${isGuess ? styles['guess'] : ''}`}>
        {shown}
      </span>
      {namespace === undefined ? undefined : <span className="faint"> {text.actor.account}</span>}
      {isGuess ? <span className="faint"> {text.actor.guess}</span> : undefined}
    </span>
  )
}
