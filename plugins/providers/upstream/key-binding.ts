import type { Resource } from '#core/kube/client.ts'
import { ORIGIN_ANNOTATION, PROVIDER_KEY_LABEL } from '#schemas/names/labels.ts'
import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import type { ObjectMeta } from '#schemas/kinds/object.ts'
import { originOfProvider } from './base-url.ts'

/** Kubernetes Secrets. */
export const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }

/** Why the key of a Secret must not be sent to a provider. */
export interface KeyRefusal {
  readonly reason: 'secret_missing' | 'secret_not_labelled' | 'origin_mismatch'
  readonly message: string
}

/**
 * B7: a key may only be sent to the origin in its Secret, even after a change of the provider's address. Reads metadata only; undefined if there is
 * no Secret. The message contains no key and no origin other than the provider's.
 */
export function refusalOfKey(
  namespace: string,
  spec: ModelProviderSpec,
  metadata: Pick<ObjectMeta, 'labels' | 'annotations'> | undefined,
): KeyRefusal | undefined {
  const { secretRef } = spec
  if (secretRef === undefined) return undefined
  const secret = `Secret ${namespace}/${secretRef.name}`
  if (metadata === undefined)
    return { reason: 'secret_missing', message: `${secret} (key ${secretRef.key}) does not exist.` }
  if (metadata.labels?.[PROVIDER_KEY_LABEL] !== 'true')
    return { reason: 'secret_not_labelled', message: `${secret} has no label ${PROVIDER_KEY_LABEL}=true.` }
  const bound = metadata.annotations?.[ORIGIN_ANNOTATION]
  if (bound === undefined)
    return { reason: 'origin_mismatch', message: `${secret} has no annotation ${ORIGIN_ANNOTATION}.` }
  const origin = originOfProvider(spec)
  if (origin === undefined || URL.parse(bound)?.origin !== origin)
    return {
      reason: 'origin_mismatch',
      message: `${secret} holds the key of another origin than ${origin ?? 'this provider'} (annotation ${ORIGIN_ANNOTATION}).`,
    }
  return undefined
}
