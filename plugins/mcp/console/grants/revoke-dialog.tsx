import { useMutation } from '@tanstack/react-query'
import type { McpGrant } from '#schemas/api/mcp-grants.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { ConfirmDialog } from '#ui/parts/overlay/confirm-dialog.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { grantsText } from './text.ts'
import { useGrantsAgain } from './use-grants.ts'

const text = grantsText.revocation

interface RevokeDialogProps {
  readonly grant: McpGrant
  readonly onClose: () => void
}

/** Asks before a consent is revoked. */
export function RevokeDialog({ grant: { namespace, server }, onClose }: RevokeDialogProps) {
  const readAgain = useGrantsAgain()
  const revoke = useMutation({
    mutationFn: () => sendApi({ method: 'DELETE', path: ['mcp', 'oauth', 'grant', server], query: { namespace } }),
    onSuccess: () => {
      showToast({ kind: 'done', message: text.done(server) })
      onClose()
    },
    onSettled: readAgain,
  })
  return (
    <ConfirmDialog
      title={text.title(server)}
      effects={text.effects}
      action={grantsText.revoke}
      isDanger
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      {revoke.error === null ? undefined : <Notice tone="bad">{revoke.error.message}</Notice>}
    </ConfirmDialog>
  )
}
