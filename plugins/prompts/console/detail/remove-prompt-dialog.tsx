import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ListedPrompt } from '#schemas/api/prompts.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { ConfirmDialog } from '#ui/parts/overlay/confirm-dialog.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { promptPath } from '../shared/shown-prompt.ts'
import { promptsText } from '../shared/text.ts'

const text = promptsText.removal

interface RemovePromptDialogProps {
  readonly prompt: ListedPrompt
  readonly onClose: () => void
  readonly onGone: () => void
}

/** Asks before a prompt is deleted; a refusal names the agents that use it. */
export function RemovePromptDialog({ prompt, onClose, onGone }: RemovePromptDialogProps) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => sendApi({ method: 'DELETE', path: promptPath(prompt) }),
    onSuccess: async () => {
      showToast({ kind: 'done', message: text.done(prompt.name) })
      onGone()
      await queries.invalidateQueries({ queryKey: ['promptversions'] })
    },
  })
  return (
    <ConfirmDialog
      title={text.title(prompt.name)}
      effects={text.effects}
      action={text.action}
      typed={prompt.name}
      isDanger
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {remove.error === null ? undefined : <Notice tone="bad">{remove.error.message}</Notice>}
    </ConfirmDialog>
  )
}
