import { useEffect, useRef, useState } from 'react'
import { stringify } from 'yaml'
import { useDraft } from './document/use-draft.ts'
import type { TypedDocument } from './document/use-draft.ts'
import type { KindEntry } from './kind-entry.ts'
import { toEdited } from './kind-object.ts'
import type { KindObject } from './kind-object.ts'
import type { ServedKind } from './served-kind.ts'

/** An object that is edited as a document. */
export interface EditedObject extends TypedDocument {
  /** The version that a save replaces; undefined for a new object. */
  readonly base: KindObject | undefined
  /** Its document, without what was typed. */
  readonly first: string
  /** Continues on another version of the object, with a text. */
  readonly continueOn: (object: KindObject, yaml: string) => void
}

interface EditedInput {
  readonly entry: KindEntry
  readonly served: ServedKind | undefined
  readonly object: KindObject | undefined
  readonly namespace: string | undefined
}

/** The document of an object. While nothing is typed it follows the object; afterwards only if what is edited is the same. */
export function useEdited({ entry, served, object, namespace }: EditedInput): EditedObject {
  const [base, setBase] = useState(object)
  const first = base === undefined ? emptyYaml(served, namespace) : objectYaml(base)
  const names = base === undefined ? ['-new'] : [base.metadata.namespace ?? '', base.metadata.name]
  const draft = useDraft({ key: [...entry.api, ...names].join('/'), first, isSaved: base !== undefined })
  const { yaml, setYaml } = draft
  const continueOn = (next: KindObject, text: string): void => {
    setBase(next)
    setYaml(text)
  }
  const version = object?.metadata.resourceVersion
  const seen = useRef(version)
  useEffect(() => {
    if (version === seen.current) return
    seen.current = version
    if (object === undefined || base === undefined || isOlder(object, base)) return
    const next = objectYaml(object)
    if (next === first || yaml === first) {
      setBase(object)
      if (yaml === first) setYaml(next)
    }
  })
  return { ...draft, base, first, continueOn }
}

// A response that was under way while the object was saved.
function isOlder(object: KindObject, base: KindObject): boolean {
  return Number(object.metadata['generation'] ?? 0) < Number(base.metadata['generation'] ?? 0)
}

/** What a person edits of an object, as YAML. */
export function objectYaml(object: KindObject): string {
  return stringify(toEdited(object), { lineWidth: 0 })
}

/** The example of a kind as YAML, in a namespace. */
export function sampleYaml({ apiVersion, kind, sample }: ServedKind, namespace: string | undefined): string {
  const { metadata = {}, ...rest } = sample as { readonly metadata?: object }
  const place = namespace === undefined || !('namespace' in metadata) ? {} : { namespace }
  return stringify({ apiVersion, kind, metadata: { ...metadata, ...place }, ...rest }, { lineWidth: 0 })
}

function emptyYaml(served: ServedKind | undefined, namespace: string | undefined): string {
  const { apiVersion, kind, isNamespaced = false } = served ?? {}
  const metadata = { name: '', ...(isNamespaced ? { namespace: namespace ?? 'default' } : {}) }
  return stringify({ apiVersion, kind, metadata, spec: {} })
}
