import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CodeSkeleton } from '#ui/parts/document/yaml-editor.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { useApiDocument } from '#ui/kinds/use-kind.ts'
import { storedDraft } from '#ui/kinds/document/draft-store.ts'
import { DraftForm } from './draft-form.tsx'
import { draftKeyOf, toFrom } from './agent-source.ts'
import type { AgentSource } from './agent-source.ts'
import { FilePane } from './file-pane.tsx'
import { loadSource } from './load-source.ts'
import { PromptPane } from './prompt-pane.tsx'
import { wordsKeyOf } from './typed-words.ts'

interface AgentEditorProps {
  readonly source: AgentSource
  readonly namespace: string
  readonly username: string
  readonly onLeave: () => void
}

/** The document of a new agent, from its source or from the draft that this person left in the window. */
export function AgentEditor({ source, namespace, username, onLeave }: AgentEditorProps) {
  const from = toFrom(source)
  const [restored] = useState(() => storedDraft(username, draftKeyOf(from))?.yaml)
  const [made, setMade] = useState<string>()
  const { data: document, error: documentError } = useApiDocument()
  const { data, error, refetch } = useQuery({
    queryKey: ['agents', 'new', from, namespace],
    queryFn: async ({ signal }) => loadSource(source, namespace, signal),
    // What is edited is not replaced under the hands.
    staleTime: Number.POSITIVE_INFINITY,
    meta: { isLive: false },
  })
  const failure = documentError ?? (restored === undefined ? error : null)
  const yaml = made ?? restored ?? data?.yaml
  if (failure !== null) {
    return (
      <ProblemState
        error={failure}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
      />
    )
  }
  if (document === undefined || yaml === undefined) return <CodeSkeleton text="" rows={12} />
  if (yaml === '' && source.kind === 'prompt')
    return <PromptPane wordsKey={wordsKeyOf(draftKeyOf(from))} {...{ namespace, onLeave }} onMade={setMade} />
  if (yaml === '' && source.kind === 'file') return <FilePane onMade={setMade} onLeave={onLeave} />
  return (
    <DraftForm
      key={made}
      {...{ document, namespace, username, from, onLeave }}
      first={yaml}
      isRestored={made === undefined && restored !== undefined}
      isMade={made !== undefined}
      tryInput={data?.tryInput}
    />
  )
}
