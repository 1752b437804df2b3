import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Score } from '#schemas/api/feedback.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { useAddress } from '#ui/contract/search.ts'
import { DataTable } from '#ui/parts/data-table.tsx'
import type { DataColumn } from '#ui/parts/data-table.tsx'
import { PageBar } from '#ui/parts/page-bar.tsx'
import { ProblemPanel } from '#ui/parts/problem-panel.tsx'

type ShownScore = Static<typeof Score>

interface ScorePage {
  readonly items: readonly ShownScore[]
  readonly nextCursor: string | null
}

const columns: readonly DataColumn<ShownScore>[] = [
  { title: 'Namespace', cell: ({ namespace }) => namespace },
  { title: 'Agent', cell: ({ agent }) => agent ?? '-' },
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Value', cell: ({ value }) => String(value) },
  { title: 'By', cell: ({ createdBy }) => createdBy },
  { title: 'Time', cell: ({ createdAt }) => <time dateTime={createdAt}>{createdAt}</time> },
  { title: 'Comment', cell: ({ comment }) => comment ?? '' },
]

/** What people say: scores, newest first. */
export function FeedbackPage() {
  const [{ namespace, agent, cursor }, change] = useAddress()
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const { data, error, refetch } = useQuery(apiQuery<ScorePage>(['feedback'], { ...scope, agent, cursor }))
  const retry = (): void => {
    refetch().catch(() => undefined)
  }
  return (
    <>
      <PageBar title="Feedback">
        <label>
          Agent{' '}
          <input
            type="search"
            value={agent ?? ''}
            onChange={({ target }) => change({ agent: target.value, cursor: undefined })}
          />
        </label>
      </PageBar>
      {error === null ? undefined : <ProblemPanel error={error} onRetry={retry} />}
      {data === undefined ? undefined : <Scores page={data} onOlder={(next) => change({ cursor: next })} />}
    </>
  )
}

function Scores({ page, onOlder }: { readonly page: ScorePage; readonly onOlder: (cursor: string) => void }) {
  const { items, nextCursor } = page
  return (
    <>
      <DataTable label="Scores" columns={columns} rows={items} keyOf={({ id }) => id} empty="No scores." />
      {nextCursor === null ? undefined : (
        <button type="button" onClick={() => onOlder(nextCursor)}>
          Older
        </button>
      )}
    </>
  )
}
