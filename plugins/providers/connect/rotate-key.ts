import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { conceal } from '#core/log/secrets.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import type { ModelProviderObject } from '#schemas/crds/model-provider.ts'
import { FIELD_MANAGER } from '#schemas/names/group.ts'
import { KEY_ROTATED_ANNOTATION, KEY_VERSION_ANNOTATION, PROVIDER_KEY_LABEL } from '#schemas/names/labels.ts'
import { providerErrors } from '../contract/errors.ts'
import { secrets } from '../upstream/key-binding.ts'
import { askForModels } from './ask-provider.ts'
import type { ConnectOptions, ConnectRequest } from './connect-provider.ts'
import { keyMarks, toKeyData } from './key-secret.ts'

/** A new key of a provider. */
export interface RotatedKey {
  readonly ref: ObjectRef
  readonly apiKey: string
  readonly validate: boolean
}

const TRIES = 3

/**
 * Replaces the key of a provider as the caller: calls under way keep the old one, later calls send the new one. Throws `provider_without_key` if
 * the provider names no Secret of keys.
 */
export async function rotateKey(
  options: ConnectOptions,
  { cluster }: Pick<Caller, 'cluster'>,
  { ref, apiKey, validate }: RotatedKey,
  { dryRun, signal }: ConnectRequest,
): Promise<ModelProviderObject> {
  const key = conceal(apiKey)
  const provider = await cluster.get<ModelProviderObject>(ModelProvider, ref, { signal })
  const { namespace } = ref
  const { secretRef } = provider.spec
  if (secretRef === undefined || namespace === undefined) throw new Fail(providerErrors.provider_without_key)
  const place = { namespace, name: parseName('secret', secretRef.name) }
  const { metadata } = await cluster.get(secrets, place, { signal, metadataOnly: true })
  if (metadata.labels?.[PROVIDER_KEY_LABEL] !== 'true')
    throw new Fail(
      providerErrors.provider_without_key,
      `Secret ${secretRef.name} has no label ${PROVIDER_KEY_LABEL}=true.`,
    )
  const write = (dry: boolean) => {
    const { annotations } = keyMarks(provider.spec)
    const body = { metadata: { annotations }, data: toKeyData(secretRef.key, key) }
    return cluster.patch(secrets, place, { type: 'merge', body }, { signal, dryRun: dry, fieldManager: FIELD_MANAGER })
  }
  await write(true)
  if (validate) await askForModels(options, provider.spec, key)
  if (dryRun) return raised(provider, options.now())
  await write(false)
  return raiseVersion(options, cluster, ref)
}

// Two rotations at once raise the version twice; the key is that of the later one.
async function raiseVersion(
  { now }: ConnectOptions,
  cluster: Caller['cluster'],
  ref: ObjectRef,
): Promise<ModelProviderObject> {
  for (let left = TRIES; ; left--) {
    const next = raised(await cluster.get<ModelProviderObject>(ModelProvider, ref), now())
    const { resourceVersion, annotations } = next.metadata
    const body = { metadata: { annotations, ...(resourceVersion === undefined ? {} : { resourceVersion }) } }
    try {
      return await cluster.patch(ModelProvider, ref, { type: 'merge', body }, { fieldManager: FIELD_MANAGER })
    } catch (error) {
      if (!isStatus(error, 409) || left <= 1) throw error
    }
  }
}

function raised(provider: ModelProviderObject, now: Date): ModelProviderObject {
  const { metadata } = provider
  const version = versionOfKey(provider) ?? 0
  const annotations = {
    ...metadata.annotations,
    [KEY_VERSION_ANNOTATION]: String(version + 1),
    [KEY_ROTATED_ANNOTATION]: now.toISOString(),
  }
  return { ...provider, metadata: { ...metadata, annotations } }
}

/** Number of the key of a provider; undefined if it was not pasted over the API. */
export function versionOfKey({ metadata: { annotations } }: Pick<ModelProviderObject, 'metadata'>): number | undefined {
  const given = annotations?.[KEY_VERSION_ANNOTATION] ?? ''
  return /^[1-9]\d{0,8}$/.test(given) ? Number(given) : undefined
}
