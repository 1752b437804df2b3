import { useEffect, useState } from 'react'
import { useSession } from '../../api/session.ts'
import { rebaseYaml } from '../../parts/yaml/rebase-yaml.ts'
import { forgetDraft, keepDraft, storedDraft, withSecretsOf } from './draft-store.ts'

const KEEP_MS = 500

/** A document that is typed, and outlives a reload and the end of the session. */
export interface TypedDocument {
  readonly yaml: string
  readonly setYaml: (yaml: string) => void
  /** It is a draft that this person left in the window. */
  readonly isRestored: boolean
}

interface DraftInput {
  /** What it is a draft of. */
  readonly key: string
  /** The document without changes. */
  readonly first: string
  /** Whether `first` is what is saved; a new document has nothing saved. */
  readonly isSaved: boolean
}

/** The text of an editor. What is typed is kept in the window, without secrets, until it is saved or taken back. */
export function useDraft({ key, first, isSaved }: DraftInput): TypedDocument {
  const session = useSession()
  // Of the person who opened the page: the session may end meanwhile.
  const [username] = useState(session?.session?.username ?? '')
  const [restored] = useState(() => storedDraft(username, key))
  const [yaml, setYaml] = useState(() => {
    if (restored === undefined) return first
    const { base, yaml: mine } = restored
    return isSaved && base !== undefined ? withSecretsOf(rebaseYaml(base, mine, first), first) : mine
  })
  const isChanged = yaml !== first
  useEffect(() => {
    if (!isChanged) return forgetDraft(key)
    const base = isSaved ? first : undefined
    const timer = setTimeout(() => keepDraft({ username, key, yaml, base }), KEEP_MS)
    return () => clearTimeout(timer)
  }, [isChanged, isSaved, username, key, yaml, first])
  return { yaml, setYaml, isRestored: restored !== undefined && isChanged }
}
