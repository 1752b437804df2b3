import { useInfiniteQuery } from '@tanstack/react-query'
import { requestApi } from '#ui/api/request-api.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import type { DatasetItems, DatasetName, CaseLabel } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import styles from './cases.module.css'
import { LabelTag } from './label-tags.tsx'

const text = datasetsText.cases

interface LabelHistoryProps {
  readonly place: DatasetName
  readonly id: string
}

/** All labels of a case, newest first; those that a newer one has replaced stay, and say so. */
export function LabelHistory({ place: { namespace, name }, id }: LabelHistoryProps) {
  const path = ['datasets', name, 'cases', id, 'labels']
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...path, { namespace }],
    queryFn: async ({ pageParam, signal }) => {
      const response = await requestApi({ path, query: { namespace, cursor: pageParam, limit: 50 }, signal })
      return (await response.json()) as DatasetItems<CaseLabel>
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  const labels = data?.pages.flatMap(({ items }) => items)
  return (
    <section className={styles['content']}>
      <h3>{text.history}</h3>
      {labels === undefined && error !== null ? <p className="faint">{error.message}</p> : undefined}
      {labels?.length === 0 ? <p className="faint">{text.noLabels}</p> : undefined}
      <ul className={styles['labels']}>
        {labels?.map((label) => (
          <LabelEntry key={label.id} label={label} />
        ))}
      </ul>
      {hasNextPage ? (
        <Button
          isSmall
          isBusy={isFetchingNextPage}
          onClick={() => {
            fetchNextPage().catch(() => undefined)
          }}
        >
          {text.more}
        </Button>
      ) : undefined}
    </section>
  )
}

/** A label with its author, and whether it still counts. */
function LabelEntry({ label }: { readonly label: CaseLabel }) {
  const { current, supersedes, annotator, createdAt, comment, source } = label
  return (
    <li className={`${styles['label']} ${current ? '' : styles['old']}`}>
      <span className={`row ${styles['head']}`}>
        <LabelTag label={label} />
        {current ? undefined : <span className="dim">{text.replaced}</span>}
        {current && supersedes !== null ? <span className="dim">{text.replaces}</span> : undefined}
        <span className="grow" />
        <Time at={createdAt} />
      </span>
      {comment === null ? undefined : (
        <p className="user-text" dir="auto">
          {comment}
        </p>
      )}
      <span className="dim">
        <Actor name={annotator} />
        {source === 'human' ? undefined : ` (${source})`}
      </span>
    </li>
  )
}
