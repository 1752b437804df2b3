import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { requestApi, sendApi } from '#ui/api/request-api.ts'
import { ConfirmDialog } from '#ui/parts/overlay/confirm-dialog.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import type { ShownAgent } from '../../shared/shown-agent.ts'
import { SpecChanges } from './spec-changes.tsx'
import { versionsText } from './text.ts'

const text = versionsText.rollBack

interface RollBackDialogProps {
  readonly agent: ShownAgent
  /** The newest revision, which the roll back leaves. */
  readonly newest: number
  readonly revision: number
  readonly onClose: () => void
}

/** Says what a roll back changes, and that the cluster would admit it, before it is done. */
export function RollBackDialog({ agent, newest, revision, onClose }: RollBackDialogProps) {
  const { namespace = '', name } = agent.metadata
  const path = ['agents', namespace, name, 'rollback']
  const queries = useQueryClient()
  const dryRun = useQuery({
    queryKey: [...path, { revision, newest }],
    queryFn: async ({ signal }) => {
      await requestApi({ method: 'POST', path, query: { dryRun: 'All' }, body: { revision }, signal })
      return true
    },
    retry: false,
    gcTime: 0,
    meta: { isLive: false },
  })
  const rollBack = useMutation({
    mutationFn: () => sendApi({ method: 'POST', path, body: { revision } }),
    onSuccess: async () => {
      showToast({ kind: 'done', message: text.done(revision) })
      onClose()
      await queries.invalidateQueries({ queryKey: ['agents', namespace, name] })
    },
  })
  const error = rollBack.error ?? dryRun.error
  return (
    <ConfirmDialog
      title={text.title(name, revision)}
      effects={[text.pods(agent.status?.replicas ?? 0), text.list(newest)]}
      action={text.action(revision)}
      isBusy={rollBack.isPending || dryRun.isPending}
      isBroad
      onConfirm={() => rollBack.mutate()}
      onClose={onClose}
    >
      <SpecChanges place={{ namespace, name }} from={newest} to={revision} />
      {error === null ? undefined : <Notice tone="bad">{error.message}</Notice>}
    </ConfirmDialog>
  )
}
