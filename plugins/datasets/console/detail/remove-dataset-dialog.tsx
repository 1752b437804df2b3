import { useMutation, useQueryClient } from '@tanstack/react-query'
import { sendApi } from '#ui/api/request-api.ts'
import { ConfirmDialog } from '#ui/parts/overlay/confirm-dialog.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import type { DatasetName } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'

const text = datasetsText.removal

interface RemoveDatasetDialogProps {
  readonly place: DatasetName
  readonly onClose: () => void
  readonly onGone: () => void
}

/** Asks before a dataset is deleted. */
export function RemoveDatasetDialog({ place: { namespace, name }, onClose, onGone }: RemoveDatasetDialogProps) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => sendApi({ method: 'DELETE', path: ['datasets', name], query: { namespace } }),
    onSuccess: async () => {
      showToast({ kind: 'done', message: text.done(name) })
      onGone()
      await queries.invalidateQueries({ queryKey: ['datasets'] })
    },
  })
  return (
    <ConfirmDialog
      title={text.title(name)}
      effects={text.effects}
      action={text.action}
      typed={name}
      isDanger
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {remove.error === null ? undefined : <Notice tone="bad">{remove.error.message}</Notice>}
    </ConfirmDialog>
  )
}
