import type { RawRequest } from '#test/flows/platform/send.ts'
import type { AccessRequest } from './raw-requests.ts'
import { EXISTING, MISSING } from './world.ts'
import type { World } from './world.ts'

/** Target of a cell: a namespace ('' is the cluster), and an object in it that exists or not. */
export interface Target {
  readonly namespace: string
  readonly exists: boolean
  /** Asked with `scope=permitted`, without a namespace. */
  readonly permitted?: true
}

/**
 * The request of a route, and the equivalent requests to the API server, in order. The first refusal is the expected response. This is
 * written independently of the route, so that a changed check is detected.
 */
export interface RouteCase {
  /** `objects`: namespaces x existing and missing. `namespaces`: each namespace, the whole cluster, and what the caller may read. `one`: a single cell. */
  readonly over: 'objects' | 'namespaces' | 'one'
  /** Expected `x-mesh-authz` of the OpenAPI document. */
  readonly authz: string
  request(target: Target, world: World): RawRequest
  questions(target: Target, world: World): readonly AccessRequest[]
  /** Status when the cluster allows everything; a code for an error of the platform itself. */
  allowed(target: Target): { readonly status: number; readonly code?: string }
  /** With `scope=permitted` a caller who may read no namespace is refused as for the cluster; elsewhere the list is empty. */
  readonly refusesNone?: true
  /** A refusal of the first request is reported as an unknown object. */
  readonly hides?: true
  /** The gateway reports the refusal, with the cluster's message as the detail. */
  readonly refusedByGateway?: true
  /** Served without a bearer: every credential gets the same response. */
  readonly public?: true
}

/** Plurals of the kinds used most. */
export const agents = 'agentdeployments'
export const templates = 'agenttemplates'
/** Name of the target object, or a name that does not exist. */
export const nameOf = ({ exists }: Target): string => (exists ? EXISTING : MISSING)
/** Expects this status, whether or not the object exists. */
export const ok = (status: number) => () => ({ status })
/** Expects this status, or 404 for a missing object. */
export const found = (status: number) => (target: Target) =>
  target.exists ? { status } : { status: 404, code: 'not_found' }
/** A list below `/api`, of one namespace or of all. */
export const query = (path: string, { namespace, permitted }: Target) => ({
  path: `/api${path}?${permitted === true ? 'scope=permitted' : `namespace=${namespace}`}`,
})
/** No request to the API server. */
export const nothing = (): readonly AccessRequest[] => []
/** A route for every authenticated caller. */
export function bearerOnly(path: string, more: Partial<RawRequest> = {}): RouteCase {
  return { over: 'one', authz: 'bearer', request: () => ({ path, ...more }), questions: nothing, allowed: ok(200) }
}
