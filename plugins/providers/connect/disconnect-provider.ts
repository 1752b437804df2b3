import { Fail } from '#core/errors/domain-error.ts'
import type { ListCall } from '#core/http/resource/scan-objects.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import type { ModelProviderObject } from '#schemas/crds/model-provider.ts'
import { MANAGED_BY } from '#schemas/names/labels.ts'
import { providerErrors } from '../contract/errors.ts'
import { secrets } from '../upstream/key-binding.ts'
import { nameOfKeySecret } from './key-secret.ts'
import { readRoutesByProvider } from './routes-of-providers.ts'

const MOST_NAMED = 20

/**
 * Deletes a provider as the caller, and the Secret that connecting it has made. Throws `provider_in_use` with the routes that call it, of those that
 * the caller may list.
 */
export async function disconnectProvider(call: ListCall, ref: ObjectRef, dryRun: boolean): Promise<void> {
  const { caller, signal } = call
  const { metadata, spec } = await caller.cluster.get<ModelProviderObject>(ModelProvider, ref, { signal })
  const name = `${ref.namespace ?? ''}/${ref.name}`
  const routes = (await readRoutesByProvider({ ...call, query: { scope: 'permitted' } }))?.get(name) ?? []
  if (routes.length > 0) throw new Fail(providerErrors.provider_in_use, describeUse(routes))
  const preconditions = metadata.uid === undefined ? {} : { preconditions: { uid: metadata.uid } }
  await caller.cluster.delete(ModelProvider, ref, { ...preconditions, dryRun, signal })
  const secret = nameOfKeySecret(ref.name)
  if (spec.secretRef?.name === secret) await removeKey(call, { ...ref, name: secret }, dryRun)
}

function describeUse(routes: readonly string[]): string {
  const rest = routes.length - MOST_NAMED
  return `Called by ${routes.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`
}

// A Secret that was written with kubectl stays.
async function removeKey({ caller, signal }: ListCall, ref: ObjectRef, dryRun: boolean): Promise<void> {
  try {
    const { metadata } = await caller.cluster.get(secrets, ref, { signal, metadataOnly: true })
    if (metadata.labels?.[MANAGED_BY.label] !== MANAGED_BY.value) return
    await caller.cluster.delete(secrets, ref, { dryRun, signal })
  } catch (error) {
    if (!isStatus(error, 404)) throw error
  }
}
