import { useMutation, useQueryClient } from '@tanstack/react-query'
import { sendApi } from '#ui/api/request-api.ts'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { evalsText } from '../shared/text.ts'
import type { ShownSuite } from './to-suite.ts'

/** Cancels an evaluation, with the runs of its cases. */
export function useCancel({ namespace, name }: ShownSuite, id: string) {
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => sendApi({ method: 'DELETE', path: ['evalsuites', namespace, name, 'runs', id] }),
    onSuccess: async () => {
      showToast({ kind: 'done', message: evalsText.cancelled })
      await queries.invalidateQueries({ queryKey: ['evalsuites'] })
    },
    onError: (error) => showToast({ kind: 'failed', message: error.message }),
  })
  return { isBusy: cancel.isPending, cancel: () => cancel.mutate() }
}
