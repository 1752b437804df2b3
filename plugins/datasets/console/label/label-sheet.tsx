import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { sendApi } from '#ui/api/request-api.ts'
import { isOwnPress } from '#ui/parts/keys/press-guard.ts'
import { useKeys } from '#ui/parts/keys/use-keys.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { CaseContent } from '../cases/case-content.tsx'
import { LabelTag } from '../cases/label-tags.tsx'
import type { DatasetName, ShownCase, CaseLabel } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import { LabelForm } from './label-form.tsx'
import styles from './label.module.css'
import type { LabelWork } from './use-label-work.ts'

const text = datasetsText.work

interface LabelSheetProps {
  readonly place: DatasetName
  readonly work: LabelWork
  readonly shown: ShownCase
}

/** The case that is judged: what it is, what was said of it, and the label that it gets. */
export function LabelSheet({ place: { namespace, name }, work, shown }: LabelSheetProps) {
  const { task, mine, move, keep } = work
  const [times] = useState(() => ({ shownAt: performance.now() }))
  const pressedAt = useRef(Number.NEGATIVE_INFINITY)
  const save = useMutation({
    mutationFn: (body: object) => {
      const path = ['datasets', name, 'cases', shown.id, 'labels']
      return sendApi<CaseLabel>({ method: 'POST', path, query: { namespace }, body })
    },
    onSuccess: (label) => (label === undefined ? undefined : keep(label)),
  })
  const send = (body: object): void => {
    const now = performance.now()
    // A press that was meant for the case before is not of this one.
    if (save.isPending || !isOwnPress(now, { ...times, lastAt: pressedAt.current })) return
    pressedAt.current = now
    save.mutate(body)
  }
  useKeys([
    { keys: 'j', label: text.keys.next, run: () => move(1) },
    { keys: 'k', label: text.keys.before, run: () => move(-1) },
  ])
  const own = mine(shown)
  const others = shown.labels.filter((label) => label.id !== own?.id && label.annotator !== own?.annotator)
  return (
    <section className={styles['sheet']} aria-label={shown.id}>
      <div className={styles['inner']}>
        <div className={styles['head']}>
          <h2 className="mono clip">{shown.id}</h2>
          <span className="grow" />
          <Button isSmall kind="quiet" icon="up" onClick={() => move(-1)}>
            {text.before}
          </Button>
          <Button isSmall kind="quiet" icon="down" onClick={() => move(1)}>
            {text.next}
          </Button>
        </div>
        <CaseContent input={shown.input} expected={shown.expected} />
        {own === undefined ? undefined : (
          <p className={styles['mine']}>
            <span>{text.mine}</span>
            <LabelTag label={own} />
            <span className="faint">{text.replacing}</span>
          </p>
        )}
        {others.length === 0 ? undefined : <Others labels={others} />}
        <LabelForm task={task} error={save.error} isBusy={save.isPending} onSend={send} />
      </div>
    </section>
  )
}

/** What other people, judges and programs said. */
function Others({ labels }: { readonly labels: readonly CaseLabel[] }) {
  return (
    <div className={styles['others']}>
      <h3>{text.others}</h3>
      <ul>
        {labels.slice(0, 8).map((label) => (
          <li key={label.id}>
            <LabelTag label={label} />
            <span className="dim">
              <Actor name={label.annotator} />
            </span>
            {label.comment === null ? undefined : (
              <span className="user-text dim" dir="auto">
                {label.comment}
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
