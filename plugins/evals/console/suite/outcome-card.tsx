import { lazy, Suspense, useState } from 'react'
import type { EvalResultsView, EvaluationView } from '#schemas/api/evaluations.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { isHeldPhase, isOpenPhase } from '../shared/shown-results.ts'
import { evalsText } from '../shared/text.ts'
import { EvaluationFacts } from '../shared/evaluation-facts.tsx'
import type { ShownSuite } from './to-suite.ts'
import { useCancel } from './use-cancel.ts'

const text = evalsText.outcome
const RunDialog = lazy(async () => ({ default: (await import('./run-suite-dialog.tsx')).RunSuiteDialog }))
const OverrideDialog = lazy(async () => ({
  default: (await import('../shared/override-gate-dialog.tsx')).OverrideGateDialog,
}))

interface OutcomeCardProps {
  readonly suite: ShownSuite
  readonly results: EvalResultsView
}

/** The evaluation that is shown: its phase and the reason, the score beside the one that is required, and what can be done. */
export function OutcomeCard({ suite, results: { evaluation, history } }: OutcomeCardProps) {
  const [dialog, setDialog] = useState<'run' | 'override'>()
  const close = (): void => setDialog(undefined)
  const past = history.find(({ evaluationId }) => evaluationId === evaluation?.id)
  const isOverridden = past?.overridden === true
  const run = (
    <Button isSmall icon="refresh" onClick={() => setDialog('run')}>
      {text.run}
    </Button>
  )
  return (
    <Card
      title={evaluation === null ? text.title : evalsText.revisionOf(evaluation.revision, evaluation.agent)}
      action={
        evaluation === null ? undefined : (
          <>
            {isOpenPhase(evaluation.phase) ? <CancelButton suite={suite} evaluation={evaluation} /> : undefined}
            {isHeldPhase(evaluation.phase) && !suite.isWarning && !isOverridden ? (
              <Button isSmall icon="shield-cross" onClick={() => setDialog('override')}>
                {text.override}
              </Button>
            ) : undefined}
            {run}
          </>
        )
      }
    >
      {evaluation === null ? (
        <EmptyState icon="gauge" title={text.none} action={run}>
          {text.noneDetail}
        </EmptyState>
      ) : (
        <EvaluationFacts evaluation={evaluation} isHolding={!suite.isWarning} isOverridden={isOverridden} />
      )}
      <Suspense>
        {dialog === 'run' ? <RunDialog suite={suite} agent={evaluation?.agent} onClose={close} /> : undefined}
        {dialog === 'override' && evaluation !== null ? (
          <OverrideDialog
            of={{
              namespace: suite.namespace,
              suite: suite.name,
              agent: evaluation.agent,
              revision: evaluation.revision,
            }}
            onClose={close}
          />
        ) : undefined}
      </Suspense>
    </Card>
  )
}

interface CancelButtonProps {
  readonly suite: ShownSuite
  readonly evaluation: EvaluationView
}

function CancelButton({ suite, evaluation: { id } }: CancelButtonProps) {
  const { isBusy, cancel } = useCancel(suite, id)
  return (
    <Button isSmall icon="barred" isBusy={isBusy} onClick={cancel}>
      {text.cancel}
    </Button>
  )
}
