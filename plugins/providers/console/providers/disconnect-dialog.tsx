import { useMutation } from '@tanstack/react-query'
import type { Provider } from '#schemas/api/providers.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { ConfirmDialog } from '#ui/parts/overlay/confirm-dialog.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { RouteLinks } from './route-links.tsx'
import { routesIn } from './refusals.ts'
import { providersText } from './text.ts'
import { useProvidersAgain } from './use-providers.ts'

const text = providersText.removal

interface DisconnectDialogProps {
  readonly provider: Provider
  readonly onClose: () => void
  readonly onGone: () => void
}

/** Asks before a provider is disconnected; the routes that call it are links. */
export function DisconnectDialog({ provider, onClose, onGone }: DisconnectDialogProps) {
  const { namespace, name } = provider
  const readAgain = useProvidersAgain()
  const disconnect = useMutation({
    mutationFn: () => sendApi({ method: 'DELETE', path: ['providers', name], query: { namespace } }),
    onSuccess: () => {
      showToast({ kind: 'done', message: text.done(name) })
      readAgain()
      onGone()
    },
  })
  const { error } = disconnect
  const refused = routesIn(error)
  const routes = refused.length > 0 ? refused : (provider.routes ?? [])
  return (
    <ConfirmDialog
      title={text.title(name)}
      effects={text.effects}
      action={text.action}
      typed={name}
      isDanger
      isBusy={disconnect.isPending}
      onConfirm={() => disconnect.mutate()}
      onClose={onClose}
    >
      {routes.length === 0 ? undefined : (
        <Notice tone="warn" title={text.inUse}>
          {text.inUseDetail}
          <RouteLinks routes={routes} />
        </Notice>
      )}
      {error === null || refused.length > 0 ? undefined : <Notice tone="bad">{error.message}</Notice>}
    </ConfirmDialog>
  )
}
