import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import { baseUrlOf } from './base-url.ts'

/** Address of a request to a provider, and the headers of its spec. */
export interface ProviderTarget {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

/** The target of a path below a provider's address. Nothing of it comes from the caller of a model (B7, K2). */
export function targetOfProvider(spec: ModelProviderSpec, path: string): ProviderTarget {
  const url = new URL(`${baseUrlOf(spec).replace(/(?<!\/)\/+$/, '')}/${path}`)
  if (spec.azure?.apiVersion !== undefined) url.searchParams.set('api-version', spec.azure.apiVersion)
  return { url, headers: Object.fromEntries((spec.headers ?? []).map(({ name, value }) => [name, value])) }
}
