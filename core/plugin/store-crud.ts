import { accessVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule, Verb } from '#core/cluster/roles/access-rule.ts'
import { subresourceOf } from '#core/http/store/declared/stored-names.ts'
import type { StoredResource } from '#core/http/store/declared/stored-resource.ts'
import { DEFAULT_QUOTA } from '#core/http/store/declared/stored-spec.ts'
import type { StoredRouteOptions } from '#core/http/store/routes/stored-options.ts'
import { storedRoutes } from '#core/http/store/routes/stored-routes.ts'
import type { StoredSlot } from './stored-slot.ts'

/** Options of `storeCrud`. */
export interface StoreCrudOptions<Fields = unknown> extends StoredRouteOptions<Fields> {
  /** `usual`: viewers read, developers write, operators promote; `operators`: operators only; or the rules themselves. Default: `usual`. */
  readonly personas?: 'usual' | 'operators' | readonly AccessRule[]
  /** Maximum number of objects per namespace by the services of the plugin, such as a setting. Default: that of the resource. */
  readonly quota?: (services: never) => number
  /** Labels that need `promote` by the services of the plugin, such as a setting. Default: those of the resource. */
  readonly protects?: (services: never) => readonly string[]
}

/** Builds the slot of a stored resource: its routes and rights, and with them its tables, events and errors. */
export function storeCrud<Fields>(
  resource: StoredResource<Fields>,
  options: StoreCrudOptions<Fields> = {},
): StoredSlot {
  const { personas = 'usual', quota, protects, ...routes } = options
  return {
    resource,
    access: accessOfStored(resource, personas),
    routes: (core, services) => {
      const most = quota?.(services as never) ?? resource.spec.quota ?? DEFAULT_QUOTA
      const own = protects?.(services as never) ?? resource.spec.revisions?.protects ?? []
      return storedRoutes({ ...core, quota: most, protects: own }, resource, routes as StoredRouteOptions)
    },
  }
}

const reason = 'Virtual resource: exists only in access reviews.'
const read: readonly Verb[] = ['get', 'list']
const write: readonly Verb[] = ['create', 'update', 'delete']

function accessOfStored(
  { spec, names }: StoredResource,
  personas: NonNullable<StoreCrudOptions['personas']>,
): readonly AccessRule[] {
  if (typeof personas !== 'string') return personas
  const { kind, plural } = names
  const group = spec.group === undefined ? {} : { group: spec.group }
  const promote: readonly Verb[] = (spec.revisions?.protects ?? []).length === 0 ? [] : ['promote']
  const isUsual = personas === 'usual'
  const own = isUsual
    ? { viewer: read, developer: write, ...(promote.length === 0 ? {} : { operator: promote }) }
    : { operator: [...accessVerbs.filter((verb) => [...read, ...write].includes(verb)), ...promote] }
  const below = Object.keys(spec.children ?? {}).map((step): AccessRule => {
    const resource = subresourceOf({ ...names, resource: plural }, step)
    const verbs: Partial<AccessRule> = isUsual
      ? { viewer: ['get'], developer: ['create'] }
      : { operator: ['get', 'create'] }
    return { ...group, resource, reason, ...verbs }
  })
  return [{ ...group, resource: plural, kind, reason, ...own }, ...below]
}
