import { useMutation, useQueryClient } from '@tanstack/react-query'
import { sendApi } from '#ui/api/request-api.ts'
import { ConfirmDialog } from '#ui/parts/overlay/confirm-dialog.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import type { CatalogEntry } from './catalog.ts'
import { templatesText } from './text.ts'

const text = templatesText.removal

interface RemoveTemplateProps {
  readonly entry: CatalogEntry
  readonly onClose: () => void
}

/** Asks before a template is deleted. */
export function RemoveTemplate({ entry: { kind, place, title }, onClose }: RemoveTemplateProps) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      sendApi({ method: 'DELETE', path: ['templates', kind, place?.namespace ?? '', place?.name ?? ''] }),
    onSuccess: async () => {
      showToast({ kind: 'done', message: text.done(title) })
      onClose()
      await queries.invalidateQueries({ queryKey: ['templates'] })
    },
  })
  return (
    <ConfirmDialog
      title={text.title(title)}
      effects={[text.effect]}
      action={text.action}
      isDanger
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {remove.error === null ? undefined : <Notice tone="bad">{remove.error.message}</Notice>}
    </ConfirmDialog>
  )
}
