import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { apiQuery } from '#ui/api/queries.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { JsonView } from '#ui/parts/content/json-view.tsx'
import { Button } from '#ui/parts/control/button.tsx'
import { toShortId } from '#ui/parts/format/names.ts'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { Dock, DockBody, DockFacts } from '#ui/parts/page/split.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { IdCopy } from '#ui/parts/value/id-copy.tsx'
import type { DatasetName, ShownCase } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import { CaseContent } from './case-content.tsx'
import styles from './cases.module.css'
import { LabelHistory } from './label-history.tsx'

const text = datasetsText.cases

interface CaseDockProps {
  readonly place: DatasetName
  readonly id: string
  readonly onClose: () => void
}

/** A case beside the list: its content, where it came from, and all its labels. */
export function CaseDock({ place, id, onClose }: CaseDockProps) {
  const path = ['datasets', place.name, 'cases', id]
  const { data, error, refetch } = useQuery(apiQuery<ShownCase>(path, { namespace: place.namespace }))
  return (
    <Dock title={id} onClose={onClose}>
      {data === undefined && error !== null ? (
        <ProblemState
          error={error}
          onRetry={() => {
            refetch().catch(() => undefined)
          }}
        />
      ) : undefined}
      {data === undefined ? undefined : (
        <>
          <DockFacts facts={factsOf(data)} />
          <DockBody>
            <CaseActions place={place} shown={data} />
            <CaseContent input={data.input} expected={data.expected} />
            {Object.keys(data.metadata).length === 0 ? undefined : (
              <div className={styles['content']}>
                <h3>{text.metadata}</h3>
                <JsonView label={text.metadata} value={data.metadata} />
              </div>
            )}
            <LabelHistory place={place} id={id} />
          </DockBody>
        </>
      )}
    </Dock>
  )
}

function factsOf({ source: { runId }, digest, tags }: ShownCase) {
  return [
    ...(runId === undefined
      ? []
      : [
          [
            text.run,
            <Link key="run" to={`/runs/${encodeURIComponent(runId)}`} className="link mono">
              {toShortId(runId)}
            </Link>,
          ] as const,
        ]),
    [text.digest, <IdCopy key="digest" id={digest.replace('sha256:', '')} />] as const,
    ...(tags.length === 0 ? [] : [[text.tags, tags.join(', ')] as const]),
  ]
}

function CaseActions({ place, shown }: { readonly place: DatasetName; readonly shown: ShownCase }) {
  const { id, archived, input, expected, metadata, tags } = shown
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: () => {
      const request = { path: ['datasets', place.name, 'cases', id], query: { namespace: place.namespace } }
      const body = { input, ...(expected === undefined ? {} : { expected }), metadata, tags }
      return archived ? sendApi({ ...request, method: 'PUT', body }) : sendApi({ ...request, method: 'DELETE' })
    },
    onSuccess: async () => {
      showToast({ kind: 'done', message: archived ? text.restored(id) : text.archived(id) })
      await queries.invalidateQueries({ queryKey: ['datasets'] })
    },
  })
  return (
    <>
      {archived ? <Notice tone="warn">{text.isArchived}</Notice> : undefined}
      {change.error === null ? undefined : <Notice tone="bad">{change.error.message}</Notice>}
      <p className={`row ${styles['actions']}`}>
        <Button isSmall icon={archived ? 'refresh' : 'bin'} isBusy={change.isPending} onClick={() => change.mutate()}>
          {archived ? text.restore : text.archive}
        </Button>
      </p>
    </>
  )
}
