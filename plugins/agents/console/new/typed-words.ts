import { useDraft } from '#ui/kinds/document/use-draft.ts'
import { toNode } from '#ui/parts/yaml/schema-shape.ts'
import { readYaml } from '#ui/parts/yaml/yaml-source.ts'
import { toYaml } from './load-source.ts'

/** Words that a person types. */
export interface TypedWords {
  readonly words: string
  readonly setWords: (words: string) => void
}

/** Names the draft of the words that ask a model for a document. */
export function wordsKeyOf(draftKey: string): string {
  return `${draftKey}/words`
}

const none = toYaml({ words: '' })

/** Words that outlive a reload, as the draft of a document does: they are kept as a document of one field. */
export function useTypedWords(key: string): TypedWords {
  const { yaml, setYaml } = useDraft({ key, first: none, isSaved: false })
  const words = toNode(readYaml(yaml).value)?.['words']
  return { words: typeof words === 'string' ? words : '', setWords: (next) => setYaml(toYaml({ words: next })) }
}
