import { accessVerbs, readVerbs, writeVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import { resourceRoutes } from '#core/http/resource/resource-routes.ts'
import type { ResourceRoutes } from '#core/http/resource/resource-routes.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import type { KindSlot } from './kind-slot.ts'

/** Options of `crud`. */
export interface CrudOptions extends ResourceRoutes {
  /**
   * `usual`: viewers read, developers write; `operators`: operators only; or the rules themselves. Default: `usual` if the kind is
   * namespaced, since viewers and developers are bound to namespaces.
   */
  readonly personas?: 'usual' | 'operators' | readonly AccessRule[]
  /** Spec of a valid object. */
  readonly sample: object
}

/** Builds the slot of a kind: CRUD routes as the caller, informer, rights and sample in one value. */
export function crud(kind: AnyKind, options: CrudOptions): KindSlot {
  const { personas = kind.namespaced ? 'usual' : 'operators', sample, ...routes } = options
  const { apiVersion, audited, indexed } = kind
  const metadata = { name: 'sample', ...(kind.namespaced ? { namespace: 'default' } : {}) }
  const body = { metadata, spec: sample }
  const examples = { sample: { summary: kind.description, value: body } }
  return {
    kind,
    ...(routes.noun === undefined ? {} : { noun: routes.noun }),
    informer: { resource: kind, resourceKind: kind.kind, audited, indexed },
    access: accessOf(kind, personas),
    endpoints: resourceRoutes(kind, { examples, ...routes }),
    sample: { apiVersion, kind: kind.kind, ...body },
  }
}

function accessOf(kind: AnyKind, personas: 'usual' | 'operators' | readonly AccessRule[]): readonly AccessRule[] {
  if (typeof personas !== 'string') return personas
  const { group, plural } = kind
  const what = { group, resource: plural, ...(kind.namespaced ? {} : ({ scope: 'Cluster' } as const)) }
  if (personas === 'operators') return [{ ...what, operator: accessVerbs }, ...scaleOf(kind, 'operator')]
  return [{ ...what, viewer: readVerbs, developer: writeVerbs }, ...scaleOf(kind, 'developer')]
}

function scaleOf({ group, plural, scale }: AnyKind, role: 'developer' | 'operator'): readonly AccessRule[] {
  if (scale === undefined) return []
  const reason = 'kubectl scale, and what an autoscaler of the namespace needs.'
  return [{ group, resource: `${plural}/scale`, reason, [role]: ['get', 'update', 'patch'] }]
}
