import { parseRef } from '#core/kube/names.ts'
import type { KubeClient, ObjectRef } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import type { ModelProviderObject, ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteObject } from '#schemas/crds/model-route.ts'
import { splitReference } from '#schemas/kinds/references.ts'
import { everyTargetOf, providerOfTarget } from '#schemas/crds/route-targets.ts'
import { baseUrlOf } from '../upstream/base-url.ts'

/** What the routes that follow a route tell about it. */
export interface FollowedRoutes {
  /** Routes that it calls through the gateway, as `namespace/name`. */
  readonly next: readonly string[]
  /** The routes by which it reaches itself, with itself at both ends; undefined: it does not. */
  readonly circle: readonly string[] | undefined
}

/** Options of `followRoutes`. */
export interface RouteFollowing {
  readonly cluster: Pick<KubeClient, 'get'>
  /** Address of this installation's gateway. */
  readonly gatewayUrl: () => string
}

// A longer path is not searched: the gateway itself refuses a request that comes back.
const MOST_ROUTES = 64
const GATEWAY_NAMESPACE = 'x-mesh-namespace'

/** Follows providers that are this gateway to the routes that they name as their models. */
export async function followRoutes(options: RouteFollowing, route: ModelRouteObject): Promise<FollowedRoutes> {
  const own = nameOf(route)
  const next = await routesAfter(options, route)
  const seen = new Set<string>()
  const paths = next.map((name) => [own, name])
  for (let path = paths.shift(); path !== undefined && seen.size < MOST_ROUTES; path = paths.shift()) {
    const name = path.at(-1) ?? ''
    if (name === own) return { next, circle: path }
    if (seen.has(name)) continue
    seen.add(name)
    const reached = await find<ModelRouteObject>(options.cluster, ModelRoute, toRef(name))
    const after = reached === undefined ? [] : await routesAfter(options, reached)
    paths.push(...after.map((one) => [...(path ?? []), one]))
  }
  return { next, circle: undefined }
}

async function routesAfter(
  { cluster, gatewayUrl }: RouteFollowing,
  route: ModelRouteObject,
): Promise<readonly string[]> {
  const own = route.metadata.namespace ?? ''
  const names: string[] = []
  for (const target of everyTargetOf(route.spec)) {
    const { namespace, name } = providerOfTarget(target, own)
    const provider = await find<ModelProviderObject>(cluster, ModelProvider, toRef(`${namespace}/${name}`))
    if (provider === undefined || !isGateway(provider.spec, gatewayUrl())) continue
    const named = routeIn(target.model, provider.spec)
    if (named !== undefined) names.push(named)
  }
  return [...new Set(names)]
}

// As the gateway reads the name of a model. An invalid name cannot lead back.
function routeIn(model: string, { headers = [] }: ModelProviderSpec): string | undefined {
  const given = headers.find(({ name }) => name === GATEWAY_NAMESPACE)?.value ?? 'default'
  const { namespace, name } = splitReference(given, model)
  const isName = [namespace, name].every((part) => /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/.test(part))
  return isName && namespace.length <= 63 && !namespace.includes('.') ? `${namespace}/${name}` : undefined
}

function isGateway(spec: ModelProviderSpec, gatewayUrl: string): boolean {
  if (spec.type === 'mock') return false
  const [provider, gateway] = [URL.parse(baseUrlOf(spec)), URL.parse(gatewayUrl)]
  if (provider === null || gateway === null || portOf(provider) !== portOf(gateway)) return false
  return hostOf(provider) === hostOf(gateway)
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port
}

// A Service has several names, and so has this machine.
function hostOf({ hostname }: URL): string {
  if (/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)) return 'localhost'
  return hostname.replace(/\.$/, '').replace(/\.svc(?:\.cluster\.local)?$/, '')
}

function nameOf({ metadata: { namespace = '', name } }: ModelRouteObject): string {
  return `${namespace}/${name}`
}

function toRef(name: string): ObjectRef {
  return parseRef(splitReference('', name))
}

async function find<O extends ModelRouteObject | ModelProviderObject>(
  cluster: Pick<KubeClient, 'get'>,
  resource: typeof ModelRoute | typeof ModelProvider,
  ref: ObjectRef,
): Promise<O | undefined> {
  try {
    return await cluster.get<O>(resource, ref)
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
