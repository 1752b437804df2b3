import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { toEdited } from '#ui/kinds/kind-object.ts'
import type { KindObject } from '#ui/kinds/kind-object.ts'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { serversText } from './text.ts'

const text = serversText.drift

/** Accepts the manifest that a person has read: its digest is named, and the version of the object that was shown. */
export function useAcceptance(object: KindObject) {
  const { namespace = '', name, resourceVersion } = object.metadata
  const queries = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const path = ['mcpservers', namespace, name]
  const send = async (digest: string): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      const body = { ...toEdited(object), spec: { ...(object.spec as object), acceptedManifest: digest } }
      const headers = resourceVersion === undefined ? {} : { 'if-match': `"${resourceVersion}"` }
      await sendApi({ method: 'PUT', path, body, headers })
      showToast({ kind: 'done', message: text.accepted(name) })
    } catch (failure) {
      setError(wordsOf(failure))
    } finally {
      setBusy(false)
      queries.invalidateQueries({ queryKey: path }).catch(() => undefined)
    }
  }
  return {
    isBusy,
    error,
    accept: (digest: string): void => {
      send(digest).catch(() => undefined)
    },
  }
}

function wordsOf(failure: unknown): string {
  if (failure instanceof ApiProblem && [409, 412].includes(failure.facts.status)) return text.changed
  return failure instanceof Error ? failure.message : String(failure)
}
