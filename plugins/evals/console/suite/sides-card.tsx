import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Static } from 'typebox'
import type { DatasetCase } from '#schemas/api/datasets.ts'
import type { EvaluationView } from '#schemas/api/evaluations.ts'
import type { Run } from '#schemas/api/runs.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { TitledValue } from '#ui/parts/content/titled-value.tsx'
import { Diff } from '#ui/parts/document/diff.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { useKeys } from '#ui/parts/keys/use-keys.ts'
import type { ShownResult } from '../shared/shown-results.ts'
import { evalsText } from '../shared/text.ts'
import { CaseScores } from './case-scores.tsx'
import styles from './suite.module.css'
import type { ShownSuite } from './to-suite.ts'

const text = evalsText.sides

interface SidesCardProps {
  readonly result: ShownResult
  readonly evaluation: EvaluationView
  readonly suite: ShownSuite
  readonly onClose: () => void
}

/** A case: the output of the baseline beside that of the revision that was scored, and what each evaluator said. */
export function SidesCard({ result, evaluation, suite, onClose }: SidesCardProps) {
  const { caseId, runIds, baselineRunIds } = result
  const candidate = useOutput(runIds[0])
  const baseline = useOutput(baselineRunIds[0])
  const { namespace, name } = suite.dataset
  // As the dataset has it now; a pin may have had another one.
  const { data: given } = useQuery(
    apiQuery<Static<typeof DatasetCase>>(['datasets', name, 'cases', caseId], { namespace }),
  )
  const card = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The promise that some browsers return would be taken for the function that ends the effect.
    card.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  useKeys([{ keys: 'Escape', label: text.close, run: onClose }])
  const input = candidate.run?.input ?? given?.input
  return (
    <div ref={card}>
      <Card
        title={text.title(caseId)}
        action={<Button isSmall kind="quiet" icon="close" aria-label={text.close} onClick={onClose} />}
      >
        <div className={styles['sides']}>
          <div className={styles['pair']}>
            <TitledValue title={text.input} value={input} />
            {given?.expected === undefined ? undefined : <TitledValue title={text.expected} value={given.expected} />}
          </div>
          <Outputs
            before={baseline.words}
            after={candidate.words}
            labels={[text.baseline(evaluation.baselineRevision ?? 0), text.candidate(evaluation.revision)]}
          />
          <p className={styles['links']}>
            {[baselineRunIds[0], runIds[0]].map((id, index) =>
              id === undefined ? undefined : (
                <Link key={id} to={`/runs/${encodeURIComponent(id)}`} className="link">
                  {text.open(index === 0 ? `r${evaluation.baselineRevision ?? 0}` : `r${evaluation.revision}`)}
                </Link>
              ),
            )}
          </p>
          <CaseScores result={result} />
        </div>
      </Card>
    </div>
  )
}

interface OutputsProps {
  readonly before: string | undefined
  readonly after: string | undefined
  readonly labels: readonly [string, string]
}

function Outputs({ before, after, labels }: OutputsProps) {
  if (after === undefined) return <p className="faint">{text.noRun}</p>
  if (before !== undefined) return <Diff title={text.compare} before={before} after={after} labels={labels} />
  return (
    <>
      <TitledValue title={text.output} value={after} />
      <p className="faint">{text.noBaseline}</p>
    </>
  )
}

/** The run of a case, and its output in words; undefined while it is read, and without a run. */
function useOutput(id: string | undefined) {
  const { data: run, error } = useQuery({
    ...apiQuery<Static<typeof Run>>(['runs', id ?? '']),
    enabled: id !== undefined,
  })
  return { run, words: run === undefined ? error?.message : toWords(run) }
}

function toWords({ output, error }: Static<typeof Run>): string {
  if (output === undefined || output === null) return error?.message ?? ''
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2)
}
