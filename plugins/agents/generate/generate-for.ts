import type { Caller } from '#core/cluster/caller.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { GenerateRequest, GeneratedConfig } from '../contract/api.ts'
import { generateConfig } from './generate-config.ts'
import type { ModelGateway } from './model-gateway.ts'
import type { GenerateTask } from './prompt.ts'
import { visibleRoutes } from './visible-routes.ts'

/** Dependencies of generation. */
export interface GenerateServices {
  readonly gateway: ModelGateway
  /** Default ModelRoute: `name` or `namespace/name`. */
  readonly generateRoute: string
}

/** A request, and the config to refine. */
export type AuthoringRequest = GenerateRequest & { readonly base?: Record<string, unknown> }

/** Generates or refines a config as the caller, on a route that the caller may use. */
export async function generateFor(
  { gateway, generateRoute }: GenerateServices,
  caller: Caller,
  { prompt: request, base, namespace: given, route: wanted, signal }: AuthoringRequest,
): Promise<GeneratedConfig> {
  const namespace = parseLabel('/namespace', given ?? 'default')
  const [first = '', second] = (wanted ?? generateRoute).split('/', 2)
  const route = parseName('/route', second ?? first)
  const routeNamespace = second === undefined ? namespace : parseLabel('/route', first)
  const routes = await visibleRoutes(caller, { namespace, preferred: route, signal })
  const task: GenerateTask = {
    request,
    routes,
    ...(base === undefined ? {} : { base }),
    ...(given === undefined ? {} : { namespace: given }),
  }
  const context = { gateway, bearer: caller.bearer, route: `${routeNamespace}/${route}`, signal }
  return generateConfig(task, context)
}
