import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Static } from 'typebox'
import type { AgentDiff } from '#schemas/api/agents.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { Diff } from '#ui/parts/document/diff.tsx'
import { CodeSkeleton } from '#ui/parts/document/yaml-editor.tsx'
import { PageState } from '#ui/parts/state/page-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import type { AgentPlace } from '../../shared/use-agent.ts'
import { toSide } from './to-side.ts'
import { versionsText as text } from './text.ts'

type ShownDiff = Static<typeof AgentDiff>

interface SpecChangesProps {
  readonly place: AgentPlace
  readonly from: number
  readonly to: number
  /** What can be done with the two. */
  readonly children?: ReactNode
}

/** What differs between two versions: the sections of the spec that are not equal. Versions never change, so that it is read once. */
export function SpecChanges({ place: { namespace, name }, from, to, children }: SpecChangesProps) {
  const { data, error, refetch } = useQuery({
    ...apiQuery<ShownDiff>(['agents', namespace, name, 'versions', 'diff'], { from: String(from), to: String(to) }),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { isLive: false },
  })
  const retry = (): void => {
    refetch().catch(() => undefined)
  }
  if (data === undefined)
    return error === null ? <CodeSkeleton text="" rows={12} /> : <ProblemState error={error} onRetry={retry} />
  if (data.sections.length === 0)
    return (
      <PageState icon="check" title={text.same}>
        {text.sameDetail}
      </PageState>
    )
  return (
    <Diff
      title={text.compare(`r${from}`, `r${to}`)}
      before={toSide(data.sections, 'from')}
      after={toSide(data.sections, 'to')}
      labels={[`r${from}`, `r${to}`]}
      action={children}
    />
  )
}
