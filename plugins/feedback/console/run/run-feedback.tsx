import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Score } from '#schemas/api/feedback.ts'
import { apiQuery } from '#ui/api/queries.ts'
import type { ObjectTabProps } from '#ui/contract/page.ts'
import { Card, Report } from '#ui/parts/page/card.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { StatusBadge, Tag } from '#ui/parts/status/status-badge.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import styles from './run-feedback.module.css'
import { ScoreForm } from './score-form.tsx'
import { runFeedbackText as text } from './text.ts'

type ShownScore = Static<typeof Score>

interface ScorePage {
  readonly items: readonly ShownScore[]
}

const MOST = 100

/** What was said of a run, and a form to say more. */
export function RunFeedback({ object: { id = '', namespace } }: ObjectTabProps) {
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const { data, error, refetch } = useQuery(apiQuery<ScorePage>(['feedback'], { ...scope, runId: id, limit: MOST }))
  const retry = (): void => {
    refetch().catch(() => undefined)
  }
  return (
    <div className={styles['tab']}>
      <Report>
        <Card title={text.give}>
          <ScoreForm runId={id} onSent={retry} />
        </Card>
        <Card title={text.all}>
          {data === undefined && error !== null ? <ProblemState error={error} onRetry={retry} /> : undefined}
          {data?.items.length === 0 ? <p className="faint">{text.none}</p> : undefined}
          <ul className={styles['scores']}>
            {data?.items.map((score) => (
              <li key={score.id}>
                <div className="row">
                  <ScoreValue value={score.value} />
                  <span className="dim" dir="auto">
                    {score.name}
                  </span>
                  <span className="grow" />
                  <Actor name={score.createdBy} />
                  <Time at={score.createdAt} />
                </div>
                {score.comment === null ? undefined : (
                  <p className="user-text" dir="auto">
                    {score.comment}
                  </p>
                )}
              </li>
            ))}
          </ul>
        </Card>
      </Report>
    </div>
  )
}

function ScoreValue({ value }: Pick<ShownScore, 'value'>) {
  if (typeof value === 'boolean')
    return (
      <StatusBadge state={value ? 'ok' : 'error'} isPlain>
        {value ? text.good : text.bad}
      </StatusBadge>
    )
  return <Tag>{String(value)}</Tag>
}
