import { conceal } from '#core/log/secrets.ts'
import type { GatewayContext } from '#core/host/contexts.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import { durationToMs } from '#schemas/duration.ts'
import { kubeResource, secrets } from './kube-resource.ts'
import { ProviderFailure } from './openai-error.ts'
import { mayRefer } from './route-of.ts'
import type { UsableRoute } from './route-of.ts'

/** A provider to try, and the model there. */
export interface Target {
  readonly namespace: string
  readonly name: string
  readonly model: string
}

/** A provider that is ready to be called. */
export interface LoadedTarget extends Target {
  readonly spec: ModelProviderSpec
  readonly key: string | undefined
  readonly firstByteMs: number
}

/** The targets of a route in the order in which they are tried: the provider with its retries, then the fallbacks. */
export function targetsOf(route: UsableRoute): readonly Target[] {
  const { providerRef, model, fallbacks = [], retries = 0 } = route.spec
  const first = Array.from({ length: 1 + retries }, () => ({ providerRef, model }))
  return [...first, ...fallbacks].map((target) => {
    const { name, namespace = route.namespace } = target.providerRef
    return { namespace, name, model: target.model }
  })
}

/** Reads provider and key as the gateway itself (B7). Throws `ProviderFailure`; the key is neither kept nor logged. */
export async function loadTarget(
  gateway: GatewayContext,
  route: UsableRoute,
  target: Target,
  defaultMs: number,
): Promise<LoadedTarget> {
  const namespace = parseLabel('provider namespace', target.namespace)
  const name = parseName('provider', target.name)
  const provider = await gateway.cluster
    .get(kubeResource(ModelProvider), { namespace, name })
    .catch((error: unknown) => {
      throw isStatus(error, 404) ? misconfigured(target, 'does not exist') : error
    })
  // The API server holds providers to the schema of the kind.
  const spec = provider.spec as ModelProviderSpec
  if (!mayRefer(route.namespace, namespace, spec.allowedNamespaces))
    throw misconfigured(target, `does not allow the namespace ${route.namespace}`)
  const wait = route.spec.timeout ?? spec.timeout
  const firstByteMs = (wait === undefined ? undefined : durationToMs(wait)) ?? defaultMs
  return { ...target, spec, firstByteMs, key: await readKey(gateway, namespace, { target, spec }) }
}

async function readKey(
  gateway: GatewayContext,
  namespace: DnsLabel,
  { target, spec }: { target: Target; spec: ModelProviderSpec },
): Promise<string | undefined> {
  if (spec.secretRef === undefined) return undefined
  const name = parseName('secret', spec.secretRef.name)
  const secret = await gateway.cluster.get(secrets, { namespace, name }).catch((error: unknown) => {
    throw isStatus(error, 404) ? misconfigured(target, 'has no Secret') : error
  })
  const data = secret['data'] as Readonly<Record<string, string>> | undefined
  const encoded = data?.[spec.secretRef.key]
  if (encoded === undefined) throw misconfigured(target, 'has no such key in its Secret')
  return conceal(Buffer.from(encoded, 'base64').toString('utf8').trim())
}

function misconfigured({ namespace, name }: Target, why: string): ProviderFailure {
  return new ProviderFailure(502, 'provider_misconfigured', `The provider ${namespace}/${name} ${why}.`)
}
