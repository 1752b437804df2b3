import { MessageView } from '#ui/parts/content/message-view.tsx'
import { initialsOf } from '#ui/parts/format/names.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { useSession } from '#ui/api/session.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { Glyph } from '#ui/parts/value/agent-name.tsx'
import type { ShownAgent } from '../shared/shown-agent.ts'
import { CallView } from './call-view.tsx'
import { DecisionCard } from './decision-card.tsx'
import type { PlayedPart, PlayedRun } from './played-run.ts'
import styles from './playground.module.css'
import { playgroundText as text } from './text.ts'
import { toMessageWords } from './to-message-words.ts'
import type { ShownTurn } from './use-conversation.ts'

interface TurnViewProps {
  readonly turn: ShownTurn
  readonly agent: ShownAgent
  /** What its events say; absent for a turn whose run was not followed. */
  readonly run: PlayedRun | undefined
  /** Its run is at the side. */
  readonly isSelected: boolean
  readonly onSelect: () => void
}

/** A message and its answer. */
export function TurnView({ turn, agent, run, isSelected, onSelect }: TurnViewProps) {
  const { name } = agent.metadata
  const username = useSession()?.session?.username ?? ''
  const isLive = run !== undefined && !run.isEnded
  return (
    <li className={styles['turn']}>
      <div className={styles['said']}>
        <span className={styles['person']} aria-hidden>
          {initialsOf(username)}
        </span>
        <div className={styles['words']}>
          <h2>{text.you}</h2>
          <MessageView role="assistant" isBare words={toMessageWords(turn.input, turn.kept?.truncated ?? false)} />
        </div>
      </div>
      <div className={styles['said']}>
        <Glyph name={name} size={26} />
        <div className={styles['words']} role="log" aria-live="polite" aria-busy={isLive}>
          <h2>
            <span dir="auto">{name}</span>
            {isLive ? <span className={styles['state']}>{stateWords(run)}</span> : undefined}
            <span className="grow" />
            {isSelected ? undefined : (
              <Button isSmall kind="quiet" icon="activity" aria-label={text.side.show} onClick={onSelect} />
            )}
          </h2>
          <Answer turn={turn} run={run} />
          {run?.interrupts.map((interrupt) => (
            <DecisionCard key={interrupt.id} runId={run.runId} interrupt={interrupt} agent={agent} />
          ))}
        </div>
      </div>
    </li>
  )
}

function stateWords({ state, parts, message }: PlayedRun): string {
  if (state === 'queued') return message ?? text.waiting
  if (state === 'paused') return text.waiting
  if (state === 'cancelling') return text.stopping
  const last = parts.at(-1)
  return last?.kind === 'text' && !last.isDone ? text.writing : (message ?? text.working)
}

function Answer({ turn: { kept }, run }: Pick<TurnViewProps, 'turn' | 'run'>) {
  // Until the events of a run are read, what the server keeps of it stands here.
  if (kept !== undefined && (run === undefined || run.parts.length === 0)) {
    const { output, truncated, state, error } = kept
    return (
      <>
        {output === null && !truncated ? undefined : (
          <MessageView role="assistant" isBare words={toMessageWords(output, truncated)} />
        )}
        <EndNotice state={state} message={error?.message} />
      </>
    )
  }
  if (run === undefined) return undefined
  const { parts, isEnded, output, state, message } = run
  const hasText = parts.some((part) => part.kind === 'text' && part.words !== '')
  const isSilent = isEnded && !hasText && state === 'succeeded'
  return (
    <>
      {parts.map((part) => (
        <Part key={`${part.kind} ${part.id}`} part={part} />
      ))}
      {isSilent && output !== undefined && output !== null ? (
        <MessageView role="assistant" isBare words={toMessageWords(output, false)} />
      ) : undefined}
      {isSilent && (output === undefined || output === null) ? <p className="faint">{text.noAnswer}</p> : undefined}
      {isEnded ? <EndNotice state={state} message={message} /> : undefined}
    </>
  )
}

function Part({ part }: { readonly part: PlayedPart }) {
  if (part.kind !== 'text') return <CallView call={part} />
  const { role, words, isDone } = part
  if (words === '' && isDone) return undefined
  return (
    <MessageView role={role === 'reasoning' ? 'reasoning' : 'assistant'} isBare words={words} isStreaming={!isDone} />
  )
}

function EndNotice({ state, message }: { readonly state: string; readonly message: string | undefined }) {
  const title = Object.hasOwn(text.ends, state) ? text.ends[state] : undefined
  if (title === undefined) return undefined
  return (
    <Notice tone={state === 'cancelled' ? 'mute' : 'bad'} title={title}>
      {message}
    </Notice>
  )
}
