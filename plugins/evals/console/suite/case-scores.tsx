import { Tag } from '#ui/parts/status/status-badge.tsx'
import { toScore } from '../shared/shown-results.ts'
import type { ShownResult } from '../shared/shown-results.ts'
import { evalsText } from '../shared/text.ts'
import styles from './suite.module.css'

const text = evalsText.sides

/** What each evaluator said of a case, by repetition. */
export function CaseScores({ result: { scores, error, runIds } }: { readonly result: ShownResult }) {
  const isRepeated = runIds.length > 1
  return (
    <div className={styles['words']}>
      <h3>{text.scores}</h3>
      {error === null ? undefined : (
        <p className="user-text" dir="auto">
          {error}
        </p>
      )}
      <ul className={styles['scores']}>
        {scores.map(({ evaluator, repetition, score, note }) => (
          <li key={`${evaluator} ${repetition}`}>
            <Tag tone={score >= 1 ? 'ok' : score <= 0 ? 'bad' : 'warn'}>{toScore(score)}</Tag>
            <b>{evaluator}</b>
            {isRepeated ? <span className="faint">{text.repetition(repetition)}</span> : undefined}
            <span className="user-text dim" dir="auto">
              {note}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
