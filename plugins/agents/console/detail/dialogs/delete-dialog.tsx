import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { sendApi } from '#ui/api/request-api.ts'
import { ConfirmDialog } from '#ui/parts/overlay/confirm-dialog.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import type { ShownAgent } from '../../shared/shown-agent.ts'
import { usedByQuery } from '../../shared/used-by.ts'
import type { AgentPlace } from '../../shared/use-agent.ts'
import styles from '../../shared/agent.module.css'
import { agentText } from '../../shared/text.ts'

const text = agentText.remove

interface DeleteDialogProps {
  readonly agent: ShownAgent
  readonly onClose: () => void
}

/** Asks for the name, and says what breaks. */
export function DeleteDialog({ agent: { metadata }, onClose }: DeleteDialogProps) {
  const { namespace = '', name } = metadata
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => sendApi({ method: 'DELETE', path: ['agents', namespace, name] }),
    onSuccess: async () => {
      showToast({ kind: 'done', message: text.done(name) })
      await navigate({ to: '/agents' })
      queries.removeQueries({ queryKey: ['agents', namespace, name] })
      await queries.invalidateQueries({ queryKey: ['agents'] })
    },
  })
  return (
    <ConfirmDialog
      title={text.title(name)}
      effects={Object.values(text.effects)}
      action={text.action}
      typed={name}
      isDanger
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <BreakingList place={{ namespace, name }} />
      {remove.error === null ? undefined : <Notice tone="bad">{remove.error.message}</Notice>}
    </ConfirmDialog>
  )
}

function BreakingList({ place }: { readonly place: AgentPlace }) {
  const { data, error } = useQuery(usedByQuery(place))
  const items = data?.items ?? []
  if (items.length === 0) {
    const note = data === undefined ? (error?.message ?? text.looking) : text.nothing
    return (
      <p className={`faint ${styles['breaks']}`} dir="auto">
        {note}
      </p>
    )
  }
  return (
    <div className={styles['breaks']}>
      <h3>{text.breaks}</h3>
      <ul>
        {items.map(({ kind, namespace, name, field }) => (
          <li key={`${kind} ${namespace} ${name} ${field}`} className="user-text">
            {kind} <b dir="auto">{`${namespace}/${name}`}</b>
          </li>
        ))}
      </ul>
    </div>
  )
}
