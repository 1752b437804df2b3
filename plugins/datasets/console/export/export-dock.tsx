import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { Run } from '#schemas/api/runs.ts'
import { downloadFile } from '#ui/api/download.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { Dock, DockBody, DockFacts } from '#ui/parts/page/split.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import type { DatasetName } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import { readOutput } from './export-output.ts'
import { useExportProgress } from './export-progress.ts'
import styles from './export.module.css'

const text = datasetsText.export
const openStates: readonly string[] = ['queued', 'running', 'cancelling']

interface ExportDockProps {
  readonly place: DatasetName
  readonly id: string
  readonly onClose: () => void
}

/** One export: how far it is, what it made, and its file. */
export function ExportDock({ place, id, onClose }: ExportDockProps) {
  const { data: run, error, refetch } = useQuery(apiQuery<Static<typeof Run>>(['runs', id]))
  const queries = useQueryClient()
  const isOpen = run !== undefined && openStates.includes(run.state)
  const progress = useExportProgress(id, isOpen, () => {
    queries.invalidateQueries({ queryKey: ['runs'] }).catch(() => undefined)
    queries.invalidateQueries({ queryKey: ['datasets'] }).catch(() => undefined)
  })
  return (
    <Dock title={text.of} lead={run === undefined ? undefined : <StatusBadge state={run.state} />} onClose={onClose}>
      {run === undefined && error !== null ? (
        <ProblemState
          error={error}
          onRetry={() => {
            refetch().catch(() => undefined)
          }}
        />
      ) : undefined}
      {run === undefined ? undefined : (
        <>
          <DockFacts
            facts={[
              [text.started, <Time key="at" at={run.createdAt} isExact />],
              [
                text.run,
                <Link key="run" to={`/runs/${encodeURIComponent(id)}`} className="link">
                  {text.open}
                </Link>,
              ],
            ]}
          />
          <DockBody>
            {isOpen ? (
              <p role="status" className={styles['progress']}>
                <progress aria-label={text.progress} />
                <span className="num">{progress?.message ?? text.waiting}</span>
              </p>
            ) : undefined}
            {run.error === null ? undefined : <Notice tone="bad">{run.error.message}</Notice>}
            {run.state === 'succeeded' ? <ExportResult place={place} run={run} /> : undefined}
          </DockBody>
        </>
      )}
    </Dock>
  )
}

function ExportResult({ place, run }: { readonly place: DatasetName; readonly run: Static<typeof Run> }) {
  const { cases, runs, hidden, skipped, hasFile } = readOutput(run.output)
  const download = useMutation({
    mutationFn: () =>
      downloadFile(
        { path: ['datasets', place.name, 'exports', run.id], query: { namespace: place.namespace } },
        `${place.name}.ndjson`,
      ),
    onSuccess: () => showToast({ kind: 'done', message: text.saved }),
  })
  return (
    <div className={styles['result']}>
      <p className="num">{text.read(runs, cases)}</p>
      {hidden + skipped === 0 ? undefined : <p className="num dim">{text.skipped(hidden, skipped)}</p>}
      {download.error === null ? undefined : <Notice tone="bad">{download.error.message}</Notice>}
      {hasFile ? (
        <Button kind="primary" icon="download" isBusy={download.isPending} onClick={() => download.mutate()}>
          {text.download}
        </Button>
      ) : undefined}
    </div>
  )
}
