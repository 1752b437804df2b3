import { Fail } from '#core/errors/domain-error.ts'
import { isObject } from '#core/json/is-object.ts'
import type { AnyEndpoint } from './endpoint.ts'
import type { Wiring } from './mounted-endpoint.ts'

/** Routes of a plugin that are available apart from its others, such as those that need a store. */
export interface Part {
  /** Id of the part among the capabilities, such as `runs.fixture`; default: the plugin's own. */
  readonly capability?: string
  /** Availability of the part. The weaker of this and the plugin's own applies. */
  readonly wiring: Wiring
  /** Reason for users, as the detail of the 501. */
  readonly because?: string
  /** Setting that makes the part available. */
  readonly setting?: string
  readonly endpoints: readonly AnyEndpoint[]
}

/** What a plugin can mount: endpoints only, so that every route is authenticated, documented and in the authorization matrix (ADR 0057). */
export type Mountable = AnyEndpoint | Part

/** A plugin whose routes are mounted, and its availability. */
export interface RouteOwner {
  readonly plugin: string
  readonly wiring: Wiring
  readonly reason?: 'disabled' | 'unconfigured'
  /** Text for users: `needs runs: no DATABASE_URL`. */
  readonly because?: string
  /** Setting that makes the plugin available. */
  readonly setting?: string
}

/** Availability of one endpoint. */
export interface EndpointOwner extends RouteOwner {
  readonly capability?: string
}

/** An endpoint as declared, not yet checked, and its owner. */
export interface OwnedEndpoint {
  readonly owner: EndpointOwner
  readonly endpoint: unknown
}

/** Lists the endpoints of a slot's value, which may come from untyped code. Throws for anything but endpoints and parts. */
export function ownedEndpoints(declared: unknown, owner: RouteOwner): readonly OwnedEndpoint[] {
  if (!Array.isArray(declared))
    throw new TypeError(`must return a list of endpoints, not ${describe(declared)}: only endpoints can be mounted`)
  return declared.flatMap((one: unknown): readonly OwnedEndpoint[] => {
    if (!isPart(one)) return [{ owner, endpoint: one }]
    const own = ownerOfPart(one, owner)
    return one.endpoints.map((endpoint) => ({ owner: own, endpoint }))
  })
}

const order = ['hidden', 'unwired', 'ready'] as const

function ownerOfPart(part: Part, owner: RouteOwner): EndpointOwner {
  const { capability, wiring, because, setting } = part
  if (!order.includes(wiring)) throw new TypeError(`wiring of a part must be ${order.join(', ')}`)
  const named = capability === undefined ? {} : { capability }
  if (order.indexOf(wiring) >= order.indexOf(owner.wiring)) return { ...owner, ...named }
  return {
    plugin: owner.plugin,
    wiring,
    reason: 'unconfigured',
    ...(because === undefined ? {} : { because }),
    ...(setting === undefined ? {} : { setting }),
    ...named,
  }
}

function isPart(value: unknown): value is Part {
  return isObject(value) && Array.isArray(value['endpoints'])
}

function describe(value: unknown): string {
  return typeof value === 'function' ? 'a function' : value instanceof Promise ? 'a promise' : typeof value
}

/** Creates the 501 of an endpoint that is not available. */
export function notWired({ plugin, reason, because }: RouteOwner): Fail {
  return new Fail('not_wired', because ?? whyUnwired(plugin, reason))
}

// A dependency that is disabled or has no database makes the plugin unavailable.
function whyUnwired(plugin: string, reason: RouteOwner['reason']): string {
  return reason === 'disabled'
    ? `The plugin ${plugin}, or one that it needs, is disabled (setting "disable").`
    : `The plugin ${plugin} is not configured: a required setting is missing, such as "databaseUrl".`
}
