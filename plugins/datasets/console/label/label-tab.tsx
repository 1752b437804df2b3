import { PageState } from '#ui/parts/state/page-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { Button } from '#ui/parts/control/button.tsx'
import type { DatasetName } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import { LabelQueue, LabelSkeleton } from './label-queue.tsx'
import { LabelSheet } from './label-sheet.tsx'
import { LabelTaskBar } from './label-task-bar.tsx'
import styles from './label.module.css'
import { useLabelWork } from './use-label-work.ts'
import type { LabelWork } from './use-label-work.ts'

const text = datasetsText.work

/** Labelling by keyboard: the cases, and the one that is judged. */
export function LabelTab({ place }: { readonly place: DatasetName }) {
  const work = useLabelWork(place)
  const { cases, error, retry, shown, task } = work
  if (cases === undefined && error !== null) return <ProblemState error={error} onRetry={retry} />
  return (
    <>
      <LabelTaskBar task={task} />
      {cases === undefined ? (
        <LabelSkeleton />
      ) : (
        <div className={styles['inbox']}>
          <LabelQueue work={work} cases={cases} />
          {shown === undefined ? (
            <NothingLeft work={work} />
          ) : (
            <LabelSheet key={`${task.name} ${task.dataType} ${shown.id}`} {...{ place, work, shown }} />
          )}
        </div>
      )}
    </>
  )
}

function NothingLeft({ work: { cases, task, retry } }: { readonly work: LabelWork }) {
  const isEmpty = cases?.length === 0 && task.show === 'all'
  return (
    <div className={styles['none']}>
      <PageState
        icon={isEmpty ? 'data' : 'check'}
        title={isEmpty ? text.none : text.done}
        actions={<Button onClick={retry}>{text.again}</Button>}
      >
        {isEmpty ? text.noneDetail : text.doneDetail(task.name)}
      </PageState>
    </div>
  )
}
