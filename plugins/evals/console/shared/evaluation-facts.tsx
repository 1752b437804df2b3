import type { EvaluationView } from '#schemas/api/evaluations.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { FactLine } from '#ui/parts/run/fact-line.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { IdCopy } from '#ui/parts/value/id-copy.tsx'
import { Money } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { isHeldPhase, toScore } from './shown-results.ts'
import styles from './evaluation-facts.module.css'
import { evalsText } from './text.ts'

const text = evalsText.outcome

interface EvaluationFactsProps {
  readonly evaluation: EvaluationView
  /** The suite holds what has not passed. */
  readonly isHolding: boolean
  readonly isOverridden: boolean
}

/** How an evaluation ended and why, its score and its cases. */
export function EvaluationFacts({ evaluation, isHolding, isOverridden }: EvaluationFactsProps) {
  const { phase, message, score, minScore, baselineScore, baselineRevision, cases } = evaluation
  const { judgeCost, createdBy, datasetDigest, finishedAt } = evaluation
  const counted = text.counts(cases.passed, cases.failed, cases.errored)
  return (
    <div className={styles['outcome']}>
      <div className={styles['head']}>
        <b className={`num ${styles['score']}`}>{toScore(score)}</b>
        <div>
          <StatusBadge state={phase} />
          <p className="user-text" dir="auto">
            {message}
          </p>
        </div>
      </div>
      {isHeldPhase(phase) && isHolding ? (
        <Notice tone="warn">
          {isOverridden ? text.overridden : phase === 'Inconclusive' ? `${text.inconclusive} ${text.held}` : text.held}
        </Notice>
      ) : undefined}
      <div className={styles['facts']}>
        <FactLine
          facts={[
            [text.required, toScore(minScore)],
            [
              text.baseline,
              baselineRevision === null ? undefined : text.baselineOf(toScore(baselineScore), baselineRevision),
            ],
            [text.cases, counted],
            [
              text.judge,
              judgeCost === null ? undefined : (
                <Money key="judge" amount={judgeCost.amount} currency={judgeCost.currency} />
              ),
            ],
            [text.by, <Actor key="by" name={createdBy} />],
            [text.ended, <Time key="at" at={finishedAt} />],
            [
              text.digest,
              datasetDigest === null ? undefined : <IdCopy key="d" id={datasetDigest.replace('sha256:', '')} />,
            ],
          ]}
        />
      </div>
    </div>
  )
}
