import type { Provider, ProviderHealth } from '#schemas/api/providers.ts'
import type { ModelProviderObject } from '#schemas/crds/model-provider.ts'
import { KEY_ROTATED_ANNOTATION } from '#schemas/names/labels.ts'
import { baseUrlOf } from '../upstream/base-url.ts'
import { versionOfKey } from './rotate-key.ts'

/** What an object does not say of its provider. */
export interface ProviderFacts {
  readonly health: ProviderHealth
  readonly routes: readonly string[] | null
}

/** A ModelProvider as the API shows it: no key, and no name of a Secret. */
export function toShownProvider(object: ModelProviderObject, { health, routes }: ProviderFacts): Provider {
  const { metadata, spec, status } = object
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  const isJudged = ready !== undefined && ready.observedGeneration === metadata.generation
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    type: spec.type,
    baseUrl: spec.type === 'mock' ? '' : baseUrlOf(spec),
    hasKey: spec.secretRef !== undefined,
    keyVersion: versionOfKey(object) ?? null,
    rotatedAt: rotatedAt(metadata.annotations?.[KEY_ROTATED_ANNOTATION]),
    ready: isJudged ? ready.status === 'True' : null,
    reason: isJudged ? ready.reason : null,
    health,
    routes: routes === null ? null : [...routes],
    createdAt: new Date(metadata.creationTimestamp ?? 0).toISOString(),
  }
}

// The annotation may be written with kubectl.
function rotatedAt(given: string | undefined): string | null {
  const time = new Date(given ?? Number.NaN)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}
