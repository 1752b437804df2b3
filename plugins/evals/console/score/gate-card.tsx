import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import { EvaluationFacts } from '../shared/evaluation-facts.tsx'
import { HistoryTable } from '../shared/history-table.tsx'
import { ScoreChart } from '../shared/score-chart.tsx'
import { evalsText } from '../shared/text.ts'
import { useResults } from '../shared/use-results.ts'
import { gateStateOf } from './gate-state.ts'
import styles from './score.module.css'

const text = evalsText.gate
const OverrideDialog = lazy(async () => ({
  default: (await import('../shared/override-gate-dialog.tsx')).OverrideGateDialog,
}))

interface GateCardProps {
  readonly agent: AgentDeploymentObject
  readonly suite: string
}

/** What the gate does with the newest revision and why, and the scores of those before it. */
export function GateCard({ agent, suite }: GateCardProps) {
  const { namespace = '', name } = agent.metadata
  const [isOverriding, setOverriding] = useState(false)
  const { results, error } = useResults({ namespace, suite, agent: name })
  const { held } = gateStateOf(agent)
  const evaluation = results?.evaluation ?? undefined
  const past = results?.history.find(({ evaluationId }) => evaluationId === evaluation?.id)
  const isHeldOne = held?.number !== undefined && evaluation?.revision === held.number
  const link = `/evals/${[namespace, suite].map(encodeURIComponent).join('/')}`
  return (
    <>
      <Card
        title={text.title}
        action={
          <>
            {held?.number === undefined ? undefined : (
              <Button isSmall icon="shield-cross" onClick={() => setOverriding(true)}>
                {evalsText.outcome.override}
              </Button>
            )}
            <Link to={link} search={{ agent: name } as never} className="link" dir="auto">
              {suite}
            </Link>
          </>
        }
      >
        <GateLine agent={agent} isScored={isHeldOne} />
        {evaluation === undefined ? undefined : (
          <div className={styles['facts']}>
            <EvaluationFacts evaluation={evaluation} isHolding={isHeldOne} isOverridden={past?.overridden === true} />
          </div>
        )}
        {error === null ? undefined : (
          <Notice tone="warn" title={text.missing}>
            {error.message}
          </Notice>
        )}
      </Card>
      {results === undefined || results.history.length === 0 ? undefined : (
        <Card title={evalsText.history.title}>
          <ScoreChart history={results.history} minScore={requiredOf(agent, evaluation)} shown={evaluation?.id} />
          <HistoryTable history={results.history} shown={evaluation?.id} />
        </Card>
      )}
      {isOverriding && held?.number !== undefined ? (
        <Suspense>
          <OverrideDialog
            of={{ namespace, suite, agent: name, revision: held.number }}
            onClose={() => setOverriding(false)}
          />
        </Suspense>
      ) : undefined}
    </>
  )
}

function requiredOf(
  { spec }: AgentDeploymentObject,
  evaluation: { readonly minScore: number } | undefined,
): number | undefined {
  return spec.evalGate?.minScore ?? evaluation?.minScore
}

interface GateLineProps {
  readonly agent: AgentDeploymentObject
  /** The evaluation of the revision that is held stands below, with its own reason. */
  readonly isScored: boolean
}

/** Held with its reason, or what serves. */
function GateLine({ agent, isScored }: GateLineProps) {
  const { held, serving } = gateStateOf(agent)
  const served = serving === undefined ? text.servesNone : text.serves(evalsText.revision(serving))
  if (held === undefined)
    return (
      <p className={styles['line']}>
        <StatusBadge state={serving === undefined ? 'pending' : 'ready'}>{served}</StatusBadge>
      </p>
    )
  const name = held.number === undefined ? text.newest : evalsText.revision(held.number)
  return (
    <p className={styles['line']}>
      <StatusBadge state="gated">{text.held(name)}</StatusBadge>
      {isScored ? undefined : (
        <span className="user-text" dir="auto">
          {`${text.because} ${held.message}`}
        </span>
      )}
      <span className="dim">{served}</span>
    </p>
  )
}
