import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Static } from 'typebox'
import type { ReferenceItem } from '../../schemas/api/agents.ts'
import { apiQuery } from '../api/queries.ts'
import { sendApi } from '../api/request-api.ts'
import { ConfirmDialog } from '../parts/overlay/confirm-dialog.tsx'
import { showToast } from '../parts/overlay/toast-store.ts'
import { ProblemState } from '../parts/state/problem-state.tsx'
import { kindText as text } from '../text/kinds.ts'
import type { KindEntry } from './kind-entry.ts'
import type { KindObject } from './kind-object.ts'

interface DeleteDialogProps {
  readonly entry: KindEntry
  readonly object: KindObject
  readonly onClose: () => void
  readonly onDeleted: () => void
}

const MAX_SHOWN = 12

/** Deletes an object after its name was typed, and says what refers to it. */
export function DeleteDialog({ entry, object, onClose, onDeleted }: DeleteDialogProps) {
  const { namespace = '', name } = object.metadata
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const queries = useQueryClient()
  const effects = useEffects(object)
  const remove = async (): Promise<void> => {
    setBusy(true)
    try {
      await sendApi({ method: 'DELETE', path: [...entry.api, ...(namespace === '' ? [] : [namespace]), name] })
      // The lists only: the page of the object is still there for a moment, and would ask for what is gone.
      const isList = ({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean =>
        queryKey.length === entry.api.length + 1
      queries.invalidateQueries({ queryKey: entry.api, predicate: isList }).catch(() => undefined)
      showToast({ kind: 'done', message: text.deleted(name) })
      onDeleted()
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)))
      setBusy(false)
    }
  }
  return (
    <ConfirmDialog
      title={text.confirm.title(entry.noun, name)}
      effects={effects}
      action={text.remove}
      typed={name}
      isDanger
      isBusy={isBusy}
      onConfirm={() => {
        remove().catch(() => undefined)
      }}
      onClose={onClose}
    >
      {error === undefined ? undefined : <ProblemState error={error} />}
    </ConfirmDialog>
  )
}

function useEffects({ kind = '', metadata: { namespace = '', name } }: KindObject): readonly string[] {
  const { data, error } = useQuery(
    apiQuery<{ readonly items: readonly Static<typeof ReferenceItem>[] }>(['usedby'], {
      kind,
      namespace,
      name,
      scope: 'permitted',
    }),
  )
  if (error !== null) return [text.confirm.gone, text.confirm.unknown]
  if (data === undefined) return [text.confirm.gone, text.confirm.loading]
  const users = data.items
    .slice(0, MAX_SHOWN)
    .map((one) => text.confirm.breaks(one.kind, [one.namespace, one.name].filter(Boolean).join('/')))
  return [text.confirm.gone, ...(users.length === 0 ? [text.confirm.none] : new Set(users))]
}
