import { setTimeout as delay } from 'node:timers/promises'
import type { Reconciler, ReconcileResult } from '#core/controllers/watch/declarations.ts'
import { createReferenceIndex } from '#core/controllers/reference-index.ts'
import { OutboundError, outboundReason } from '#core/http-client/outbound-error.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import type { KubeClient, KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'
import { parseName, parseRef } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import type { ModelProviderObject, ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteObject } from '#schemas/crds/model-route.ts'
import { collectReferences, mayRefer, splitReference } from '#schemas/kinds/references.ts'
import type { Reference } from '#schemas/kinds/references.ts'
import { everyTargetOf, providerOfTarget } from '#schemas/crds/route-targets.ts'
import { baseUrlOf } from './upstream/base-url.ts'
import { refusalOfKey, secrets } from './upstream/key-binding.ts'
import type { KeyRefusal } from './upstream/key-binding.ts'
import { toConditionsStatus } from '#core/controllers/conditions.ts'
import type { ConditionValue } from '#core/controllers/conditions.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import { providerVerdicts, unreadyReason } from './status/provider-status.ts'
import type { AddressProblem } from './status/provider-status.ts'
import { routeVerdicts } from './status/route-status.ts'
import type { TargetFindings } from './status/route-status.ts'
import { keptTargets } from './status/target-entries.ts'
import { followRoutes } from './routes/route-circle.ts'
import type { RouteFollowing } from './routes/route-circle.ts'

/** Dependencies for the status of providers and routes. */
export interface StatusOptions {
  readonly cluster: KubeClient
  readonly outbound: Pick<Outbound, 'check'>
  /** Types of providers for which this installation has an adapter. */
  readonly types: () => readonly string[]
  readonly now: () => Date
}

// Polled: the manager may not list Secrets, and a name may resolve to another address at any time.
const WHILE_BROKEN_MS = 15_000
const WHILE_READY_MS = 300_000
const RESOLVE_MS = 2_000

/** Writes the conditions of ModelProviders: Accepted, ResolvedRefs, Ready. */
export function providerReconciler(options: StatusOptions): Reconciler {
  const { cluster } = options
  return {
    name: 'modelproviders',
    resource: ModelProvider,
    concern: generationOf,
    reconcile: async (ref) => {
      const provider = await find<ModelProviderObject>(cluster, ModelProvider, ref)
      if (provider === undefined) return {}
      const { spec } = provider
      const verdicts = providerVerdicts({
        type: spec.type,
        hasAdapter: options.types().includes(spec.type),
        address: await addressProblem(options.outbound, spec),
        key: await keyProblem(cluster, ref, spec),
      })
      const status = toConditionsStatus(provider, verdicts, options.now())
      if (!(await writeStatus(cluster, ModelProvider, provider, status))) return { requeueAfterMs: 0 }
      return nextResult(verdicts, spec.type !== 'mock')
    },
  }
}

/** Writes the conditions of ModelRoutes: Accepted, ResolvedRefs, Ready. */
export function routeReconciler(
  options: Pick<StatusOptions, 'cluster' | 'now'> & Pick<RouteFollowing, 'gatewayUrl'>,
): Reconciler {
  const { cluster } = options
  const index = createReferenceIndex()
  return {
    name: 'modelroutes',
    resource: ModelRoute,
    concern: generationOf,
    watches: [
      { resource: ModelProvider, toRefs: async (provider) => index.referrersOf(provider) },
      { resource: ModelRoute, toRefs: async (route) => index.referrersOf(route) },
    ],
    reconcile: async (ref) => {
      const route = await find<ModelRouteObject>(cluster, ModelRoute, ref)
      if (route === undefined) {
        index.set(ref, [])
        return {}
      }
      const { next, circle } = await followRoutes(options, route)
      index.set(ref, [...collectReferences(ModelRoute.spec, route), ...next.map(toRouteReference)])
      const targets = await Promise.all(targetsOf(route).map((one) => findTarget(cluster, route, one)))
      const status = {
        ...toConditionsStatus(route, routeVerdicts(targets, circle), options.now()),
        ...keptTargets(route),
      }
      return (await writeStatus(cluster, ModelRoute, route, status)) ? {} : { requeueAfterMs: 0 }
    },
  }
}

function generationOf({ metadata: { uid, generation, deletionTimestamp } }: KubeObject): unknown {
  return [uid, generation, deletionTimestamp]
}

function toRouteReference(name: string): Reference {
  const { namespace, name: bare } = splitReference('', name)
  return { kind: ModelRoute.kind, namespace, name: bare, field: 'spec' }
}

function nextResult(verdicts: readonly ConditionValue[], changesByItself: boolean): ReconcileResult {
  if (verdicts.some(({ status }) => status === 'False')) return { requeueAfterMs: WHILE_BROKEN_MS }
  return changesByItself ? { requeueAfterMs: WHILE_READY_MS } : {}
}

// Resolves the name as the gateway does, without a call. A failing resolver is not reported as a problem of the provider.
async function addressProblem(
  outbound: StatusOptions['outbound'],
  spec: ModelProviderSpec,
): Promise<AddressProblem | undefined> {
  if (spec.type === 'mock') return undefined
  try {
    // An unavailable resolver must not block other providers.
    await Promise.race([outbound.check(baseUrlOf(spec)), delay(RESOLVE_MS, undefined, { ref: false })])
    return undefined
  } catch (error) {
    if (error instanceof OutboundError) return { reason: 'AddressRefused', message: error.message }
    if (outboundReason(error) !== 'name_not_found') return undefined
    return { reason: 'NameNotFound', message: `${URL.parse(baseUrlOf(spec))?.hostname ?? ''} does not resolve.` }
  }
}

// Label and annotation are sufficient. The manager receives no key.
async function keyProblem(
  cluster: KubeClient,
  { namespace }: ObjectRef,
  spec: ModelProviderSpec,
): Promise<KeyRefusal | undefined> {
  if (spec.secretRef === undefined || namespace === undefined) return undefined
  const ref = { namespace, name: parseName('secret', spec.secretRef.name) }
  return refusalOfKey(namespace, spec, (await find(cluster, secrets, ref, { metadataOnly: true }))?.metadata)
}

function targetsOf({
  metadata,
  spec,
}: ModelRouteObject): readonly { readonly namespace: string; readonly name: string }[] {
  return everyTargetOf(spec).map((target) => providerOfTarget(target, metadata.namespace ?? ''))
}

async function findTarget(
  cluster: KubeClient,
  route: ModelRouteObject,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<TargetFindings> {
  const named = `Provider ${namespace}/${name}`
  const ref = parseRef({ namespace, name })
  const provider = await find<ModelProviderObject>(cluster, ModelProvider, ref)
  const found = (problem: TargetFindings['problem'], message: string): TargetFindings => ({
    provider: `${namespace}/${name}`,
    problem,
    message,
  })
  const from = route.metadata.namespace ?? ''
  if (provider === undefined) return found('ProviderMissing', `${named} does not exist.`)
  if (!mayRefer(from, namespace, provider.spec.allowedNamespaces))
    return found('ProviderNotAllowed', `${named} does not allow the namespace ${from}.`)
  const unready = unreadyReason(provider)
  return unready === undefined ? found(undefined, '') : found('ProviderNotReady', `${named}: ${unready}`)
}

async function find<O extends KubeObject>(
  cluster: KubeClient,
  resource: Resource,
  ref: ObjectRef,
  options?: { readonly metadataOnly: boolean },
): Promise<O | undefined> {
  try {
    return await cluster.get<O>(resource, ref, options)
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
