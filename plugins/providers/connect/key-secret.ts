import type { KubeObject } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import type { DnsLabel, DnsName } from '#core/kube/names.ts'
import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import { MANAGED_BY, ORIGIN_ANNOTATION, PROVIDER_KEY_LABEL } from '#schemas/names/labels.ts'
import { originOfProvider } from '../upstream/base-url.ts'

/** Key of the Secret that holds the pasted key. */
export const KEY_FIELD = 'apiKey'

/** Name of the Secret of a provider that was connected over the API. */
export function nameOfKeySecret(provider: string): DnsName {
  return parseName('/name', `${provider}-provider-key`)
}

/** The labels and the origin by which the gateway accepts a key (B7). */
export function keyMarks(spec: ModelProviderSpec) {
  return {
    labels: { [PROVIDER_KEY_LABEL]: 'true', [MANAGED_BY.label]: MANAGED_BY.value },
    annotations: { [ORIGIN_ANNOTATION]: originOfProvider(spec) ?? '' },
  }
}

/** The Secret with a key. */
export function toKeySecret(
  ref: { readonly namespace: DnsLabel; readonly name: DnsName },
  spec: ModelProviderSpec,
  key: string,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...ref, ...keyMarks(spec) },
    type: 'Opaque',
    data: toKeyData(KEY_FIELD, key),
  }
}

/** The data of a Secret with a key. */
export function toKeyData(field: string, key: string): Readonly<Record<string, string>> {
  return { [field]: Buffer.from(key, 'utf8').toString('base64') }
}
