import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { PageState } from '#ui/parts/state/page-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { parseItem } from './items/approval-items.ts'
import type { PausedRun } from './items/approval-items.ts'
import { approvalsText as text } from './items/text.ts'

interface DecidedProps {
  readonly item: string
  readonly onNext: () => void
}

/** Long enough to read who decided. */
const MOVES_ON_MS = 6000

/** The decision of an address that waits no longer: says who decided and when, and moves on by itself. */
export function Decided({ item, onNext }: DecidedProps) {
  const { run: id, interrupt } = parseItem(item)
  const { data, error, refetch } = useQuery(apiQuery<PausedRun>(['runs', id]))
  const isKnown = data !== undefined
  const latest = useRef(onNext)
  useEffect(() => {
    latest.current = onNext
  })
  useEffect(() => {
    if (!isKnown) return
    const timer = setTimeout(() => latest.current(), MOVES_ON_MS)
    return () => clearTimeout(timer)
  }, [isKnown])
  const next = <Button onClick={onNext}>{text.gone.next}</Button>
  if (error instanceof ApiProblem && error.facts.status === 404)
    return (
      <PageState icon="search" title={text.gone.removed} actions={next}>
        {text.gone.removedDetail}
      </PageState>
    )
  if (error !== null)
    return (
      <ProblemState
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
      />
    )
  if (data === undefined) return undefined
  return <Outcome run={data} interrupt={interrupt} next={next} />
}

interface OutcomeProps {
  readonly run: PausedRun
  readonly interrupt: string | undefined
  readonly next: ReactNode
}

function Outcome({ run, interrupt, next }: OutcomeProps) {
  const decisions = run.decisions ?? []
  const decision = decisions.findLast(({ interruptId }) => interrupt === undefined || interruptId === interrupt)
  if (decision === undefined)
    return (
      <PageState icon="clock" title={text.gone.ended} actions={next} facts={text.gone.moving}>
        {text.gone.state(run.state)}
      </PageState>
    )
  const { by, at, reason } = decision
  return (
    <PageState icon="check" title={text.gone[decision.decision ?? 'answered']} actions={next} facts={text.gone.moving}>
      <p>
        {text.gone.by} <Actor name={by} />, <Time at={at} isExact />
      </p>
      {reason === undefined ? undefined : (
        <p className="user-text" dir="auto">
          {reason}
        </p>
      )}
    </PageState>
  )
}
