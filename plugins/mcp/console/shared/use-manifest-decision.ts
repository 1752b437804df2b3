import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { sendApproval, sendRejection } from './decide-manifest.ts'
import type { WaitingManifest } from './decide-manifest.ts'
import { wordsOfRefusal } from './refusal-words.ts'
import { toolText } from './text.ts'

const text = toolText.decision

/** What was decided on a manifest. */
export type ManifestVerdict = 'approved' | 'rejected'

/** Decides on manifests. After each request the pages read again, since what waits may have changed. */
export function useManifestDecision(onDecided: (manifest: WaitingManifest, verdict: ManifestVerdict) => void) {
  const queries = useQueryClient()
  const [busy, setBusy] = useState<ManifestVerdict>()
  const [error, setError] = useState<string>()
  const send = async (manifest: WaitingManifest, verdict: ManifestVerdict, words: string): Promise<void> => {
    setBusy(verdict)
    setError(undefined)
    try {
      await (verdict === 'approved' ? sendApproval(manifest, words) : sendRejection(manifest, words))
      showToast({ kind: 'done', message: text.done[verdict](manifest.name) })
      onDecided(manifest, verdict)
    } catch (failure) {
      setError(wordsOfRefusal(failure))
    } finally {
      setBusy(undefined)
      for (const queryKey of [['mcpservers'], ['mcp', 'approvals']])
        queries.invalidateQueries({ queryKey }).catch(() => undefined)
    }
  }
  return {
    busy,
    error,
    decide: (manifest: WaitingManifest, verdict: ManifestVerdict, words = ''): void => {
      send(manifest, verdict, words.trim()).catch(() => undefined)
    },
  }
}
