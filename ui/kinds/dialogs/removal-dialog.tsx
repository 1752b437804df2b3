import type { RequestQuery } from '../../api/request-api.ts'
import { sendApi } from '../../api/request-api.ts'
import { ConfirmDialog } from '../../parts/overlay/confirm-dialog.tsx'
import { Notice } from '../../parts/page/notice.tsx'
import { useAct } from './use-act.ts'

interface RemovalDialogProps {
  readonly words: {
    readonly title: (name: string) => string
    readonly effects: readonly string[]
    readonly action: string
    readonly done: (name: string) => string
  }
  readonly name: string
  /** The path of the object, and the query that it needs. */
  readonly path: readonly string[]
  readonly query?: RequestQuery
  /** The key of the lists that had it. */
  readonly lists: readonly string[]
  /** Its name has to be typed. */
  readonly isTyped?: boolean
  readonly onClose: () => void
  readonly onGone: () => void
}

/** Asks before something is deleted; a refusal is shown in it. */
export function RemovalDialog(props: RemovalDialogProps) {
  const { words, name, path, query = {}, lists, isTyped = false, onClose, onGone } = props
  const remove = useAct({
    send: () => sendApi({ method: 'DELETE', path, query }),
    done: () => words.done(name),
    changes: [lists],
    onDone: onGone,
  })
  return (
    <ConfirmDialog
      title={words.title(name)}
      effects={words.effects}
      action={words.action}
      {...(isTyped ? { typed: name } : {})}
      isDanger
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {remove.error === null ? undefined : <Notice tone="bad">{remove.error.message}</Notice>}
    </ConfirmDialog>
  )
}
