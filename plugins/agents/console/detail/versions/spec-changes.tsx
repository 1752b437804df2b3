import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { AgentDiff } from '#schemas/api/agents.ts'
import { useCapability } from '#ui/api/capabilities.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { Diff } from '#ui/parts/document/diff.tsx'
import { CodeSkeleton } from '#ui/parts/document/yaml-editor.tsx'
import { PageState } from '#ui/parts/state/page-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import type { AgentPlace } from '../../shared/use-agent.ts'
import { toPromptTexts } from './to-prompt-texts.ts'
import { toSide } from './to-side.ts'
import { versionsText as text } from './text.ts'

type ShownDiff = Static<typeof AgentDiff>

interface SpecChangesProps {
  readonly place: AgentPlace
  readonly from: number
  readonly to: number
}

/** What differs between two versions: the sections of the spec that are not equal. Versions never change, so that it is read once. */
export function SpecChanges({ place: { namespace, name }, from, to }: SpecChangesProps) {
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
      action={<PromptTexts namespace={namespace} sections={data.sections} />}
    />
  )
}

interface PromptTextsProps {
  readonly namespace: string
  readonly sections: ShownDiff['sections']
}

/** Leads to the texts of two versions of a prompt: the specs have no more than their numbers. */
function PromptTexts({ namespace, sections }: PromptTextsProps) {
  const isOffered = useCapability('prompts')
  const texts = toPromptTexts(sections)
  if (!isOffered || texts === undefined) return undefined
  const { name, from, to } = texts
  return (
    <Link
      to={`/prompts/${[namespace, name].map(encodeURIComponent).join('/')}`}
      search={{ tab: 'compare', from, to } as never}
      className="link"
    >
      {text.texts}
    </Link>
  )
}
