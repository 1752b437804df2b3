import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'

const defaultBaseUrl = 'https://api.openai.com/v1'

/** Address of a provider up to and including the version. */
export function baseUrlOf({ baseUrl }: Pick<ModelProviderSpec, 'baseUrl'>): string {
  return baseUrl ?? defaultBaseUrl
}

/** Scheme, host and port of a provider; undefined when `baseUrl` passes the kind's pattern and is no URL all the same. */
export function originOf(spec: Pick<ModelProviderSpec, 'baseUrl'>): string | undefined {
  return URL.parse(baseUrlOf(spec))?.origin
}
