import { notAcceptable } from '../json/api-error.ts'
import { MEDIA_TYPES } from '../json/parse-body.ts'

/** Negotiated form of the response. */
export interface NegotiatedForm {
  yaml: boolean
  as: '' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'APIGroupDiscoveryList'
  /** The requested apidiscovery version. */
  version: string
}

const TRANSFORMS = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList', 'APIGroupDiscoveryList'])

function isTransform(as: string): as is Exclude<NegotiatedForm['as'], ''> {
  return TRANSFORMS.has(as)
}

/** Returns the first supported media type of `Accept`; JSON if the header is absent. */
export function negotiate(header: string | undefined): NegotiatedForm {
  const offers = (header || '*/*').split(',').map((part) => part.split(';').map((piece) => piece.trim()))
  for (const [type = '', ...rest] of offers) {
    const yaml = type === 'application/yaml'
    if (!yaml && !['application/json', '*/*', 'application/*'].includes(type)) continue
    const parameters = new Map(rest.map((piece) => [piece.split('=')[0] ?? '', piece.split('=')[1] ?? '']))
    const as = parameters.get('as') ?? ''
    if (as === '') return { yaml, as: '', version: '' }
    if (isTransform(as)) return { yaml, as, version: parameters.get('v') ?? '' }
  }
  throw notAcceptable(MEDIA_TYPES)
}
