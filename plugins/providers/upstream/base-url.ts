import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'

const defaultBaseUrls = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com/v1' } as const

type Addressed = Pick<ModelProviderSpec, 'type' | 'baseUrl'>

/** Address of a provider up to and including the version. */
export function baseUrlOf({ type, baseUrl }: Addressed): string {
  return baseUrl ?? defaultBaseUrls[type === 'anthropic' ? type : 'openai']
}

/** Scheme, host and port of a provider; undefined if `baseUrl` matches the pattern of the kind but is not a URL. */
export function originOfProvider(spec: Addressed): string | undefined {
  return URL.parse(baseUrlOf(spec))?.origin
}
