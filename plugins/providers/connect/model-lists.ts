import type { Caller } from '#core/cluster/caller.ts'
import { createTtlCache } from '#core/async/ttl-cache.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { conceal } from '#core/log/secrets.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import type { ModelProviderObject } from '#schemas/crds/model-provider.ts'
import { secretValueOf } from '#schemas/values/secret-value.ts'
import type { ListedModel } from '../contract/adapter.ts'
import { providerErrors } from '../contract/errors.ts'
import { refusalOfKey, secrets } from '../upstream/key-binding.ts'
import { askForModels } from './ask-provider.ts'
import type { ConnectOptions } from './connect-provider.ts'

/** The models of a provider, and when they were read. */
export interface ModelCatalog {
  readonly models: readonly ListedModel[]
  readonly fetchedAt: Date
  readonly isCached: boolean
}

/** A request for the models of a provider. */
export interface CatalogRequest {
  readonly ref: ObjectRef
  readonly isRefresh: boolean
  readonly signal: AbortSignal
}

/** Lists the models of a provider as the caller, whose rights on the object and its key are checked each time. */
export type ReadCatalog = (caller: Pick<Caller, 'cluster'>, request: CatalogRequest) => Promise<ModelCatalog>

const KEPT_MS = 60_000

/** Creates the function: a list is kept for a minute by object, key and address. */
export function createReadCatalog(options: ConnectOptions): ReadCatalog {
  const keep = createTtlCache<Omit<ModelCatalog, 'isCached'>>(KEPT_MS)
  return async ({ cluster }, { ref, isRefresh, signal }) => {
    const provider = await cluster.get<ModelProviderObject>(ModelProvider, ref, { signal })
    const { key, version } = await readKey(cluster, provider, ref, signal)
    let isCached = true
    const load = async (): Promise<Omit<ModelCatalog, 'isCached'>> => {
      isCached = false
      return { models: await askForModels(options, provider.spec, key), fetchedAt: options.now() }
    }
    const { uid = '', generation = 0 } = provider.metadata
    const catalog = isRefresh ? await load() : await keep(`${uid} ${generation} ${version}`, load)
    return { ...catalog, isCached }
  }
}

async function readKey(
  cluster: Caller['cluster'],
  { spec }: ModelProviderObject,
  { namespace }: ObjectRef,
  signal: AbortSignal,
) {
  const { secretRef } = spec
  if (secretRef === undefined || namespace === undefined) return { key: undefined, version: '' }
  const secret = await cluster.get(secrets, { namespace, name: parseName('secret', secretRef.name) }, { signal })
  const refusal = refusalOfKey(namespace, spec, secret.metadata)
  if (refusal !== undefined) throw new Fail(providerErrors.provider_without_key, refusal.message)
  const value = secretValueOf(secret, secretRef.key)?.toString('utf8').trim()
  if (value === undefined || value === '') throw new Fail(providerErrors.provider_without_key)
  return { key: conceal(value), version: secret.metadata.resourceVersion ?? '' }
}
