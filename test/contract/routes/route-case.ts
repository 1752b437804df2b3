import type { RawRequest } from '#test/flows/platform/send.ts'
import type { AccessRequest } from './raw-requests.ts'
import { EXISTING, MISSING } from './world.ts'
import type { World } from './world.ts'

/** What a cell is about: a namespace ('' is the cluster), and an object in it that exists or not. */
export interface Target {
  readonly namespace: string
  readonly exists: boolean
}

/**
 * How one route is asked, and what the API server is asked in its place, in order: the first refusal is the expected
 * answer. This is what the route claims to check, written apart from the route, so that a changed check is seen.
 */
export interface RouteCase {
  /** `objects`: namespaces x existing and missing. `namespaces`: each and the whole cluster. `one`: nothing to vary. */
  readonly over: 'objects' | 'namespaces' | 'one'
  /** As `x-mesh-authz` of the OpenAPI document must say. */
  readonly authz: string
  request(target: Target, world: World): RawRequest
  questions(target: Target, world: World): readonly AccessRequest[]
  /** The status once the cluster allowed everything; a code where it is an error of our own. */
  allowed(target: Target): { readonly status: number; readonly code?: string }
  /** A refusal of the first question reads as an unknown object. */
  readonly hides?: true
  /** A refusal is told by the gateway in its words: the cluster's message as the detail. */
  readonly told?: true
  /** Answers 501 to every authenticated caller, before any review. */
  readonly gated?: true
}

/** Plurals of the kinds that routes are about most. */
export const agents = 'agentdeployments'
export const templates = 'agenttemplates'
/** The name of the object that a cell is about, or of one that is not there. */
export const nameOf = ({ exists }: Target): string => (exists ? EXISTING : MISSING)
/** Allowed is this status, whether the object exists or not. */
export const ok = (status: number) => () => ({ status })
/** Allowed is this status, and 404 for what is not there. */
export const found = (status: number) => (target: Target) =>
  target.exists ? { status } : { status: 404, code: 'not_found' }
/** A list below `/api`, of a namespace or of all. */
export const query = (path: string, { namespace }: Target) => ({ path: `/api${path}?namespace=${namespace}` })
/** Nobody is asked. */
export const nothing = (): readonly AccessRequest[] => []
/** A route that any bearer may call. */
export function bearerOnly(path: string, more: Partial<RawRequest> = {}): RouteCase {
  return { over: 'one', authz: 'bearer', request: () => ({ path, ...more }), questions: nothing, allowed: ok(200) }
}
