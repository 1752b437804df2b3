import { fieldTitle } from '../../parts/form/form-edit.ts'
import type { KindEntry } from '../kind-entry.ts'
import { servedKind } from '../served-kind.ts'
import type { ApiDocument } from '../served-kind.ts'

interface ThirdPartyKind {
  readonly plugin: string
  /** Segments of its routes below `/api`. */
  readonly api: readonly string[]
}

/** The entry of a kind of a third party, from what the API says of it. */
export function kindEntryOf(document: ApiDocument, { plugin, api }: ThirdPartyKind): KindEntry {
  const served = servedKind(document, api)
  const plural = api.at(-1) ?? ''
  const noun = fieldTitle(served?.kind ?? plural)
  const about = served?.input.node['description']
  return {
    path: `/x/${plugin}/${plural}`,
    api,
    title: fieldTitle(plural),
    noun: noun.charAt(0).toLowerCase() + noun.slice(1),
    icon: 'stack',
    about: typeof about === 'string' ? about : `${served?.apiVersion ?? ''} ${served?.kind ?? plural}`,
    isClusterWide: served?.isNamespaced === false,
  }
}
