import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'

const defaultBaseUrl = 'https://api.openai.com/v1'

/** Address of a provider up to and including the version. */
export function baseUrlOf({ baseUrl }: Pick<ModelProviderSpec, 'baseUrl'>): string {
  return baseUrl ?? defaultBaseUrl
}

/** Scheme, host and port of a provider; undefined if `baseUrl` matches the pattern of the kind but is not a URL. */
export function originOfProvider(spec: Pick<ModelProviderSpec, 'baseUrl'>): string | undefined {
  return URL.parse(baseUrlOf(spec))?.origin
}
