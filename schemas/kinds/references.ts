import { isObject } from '#core/json/is-object.ts'
import type { TypedObject } from './object.ts'

/**
 * `x-mesh-ref` marks a reference that must resolve before the object can work. `x-mesh-link` marks a link, which is shown like a reference but need
 * not resolve. Objects may link to each other, and the target may be missing.
 */
export type Mark = 'x-mesh-ref' | 'x-mesh-link'

/** One reference from an object to another, found by its mark. */
export interface Reference {
  kind: string
  namespace: string
  name: string
  /** Path of the field, such as `spec.tools[0].bindingRef`. */
  field: string
}

type Node = Record<string, unknown>

/** Walks the marks of a schema over a spec; names without a namespace refer to the object's own namespace. */
export function collectReferences(schema: object, object: TypedObject, mark: Mark = 'x-mesh-ref'): Reference[] {
  return walk(schema as Node, object.spec, { mark, field: 'spec', namespace: object.metadata.namespace ?? '' })
}

/** Namespace and name of a reference `name` or `namespace/name`; a bare name refers to the object's own namespace. */
export function splitReference(own: string, reference: string): { readonly namespace: string; readonly name: string } {
  const slash = reference.indexOf('/')
  if (slash < 0) return { namespace: own, name: reference }
  return { namespace: reference.slice(0, slash), name: reference.slice(slash + 1) }
}

/** Whether an object may refer to a target: the target is in the same namespace, or its `allowedNamespaces` has the object's namespace or `*`. */
export function mayRefer(source: string, target: string, allowedNamespaces: readonly string[] = []): boolean {
  return source === target || allowedNamespaces.includes(source) || allowedNamespaces.includes('*')
}

interface Place {
  readonly mark: Mark
  field: string
  namespace: string
}

function walk(schema: Node, value: unknown, place: Place): Reference[] {
  if (value === undefined || value === null) return []
  const { mark, field, namespace } = place
  const kind = schema[mark]
  if (typeof kind === 'string') return toReference(kind, value, { ...place, name: schema['x-mesh-ref-name'] ?? 'name' })
  const { items, properties } = schema
  if (Array.isArray(value) && isObject(items)) {
    return value.flatMap((item, index) => walk(items, item, { mark, field: `${field}[${index}]`, namespace }))
  }
  if (!isObject(value) || !isObject(properties)) return []
  return Object.entries(properties).flatMap(([name, property]) =>
    isObject(property) ? walk(property, value[name], { mark, field: `${field}.${name}`, namespace }) : [],
  )
}

// Some Kubernetes references have the name in another field (`secretName`).
function toReference(kind: string, value: unknown, place: Place & { readonly name: unknown }): Reference[] {
  const { field, namespace } = place
  if (typeof value === 'string') return [{ kind, ...splitReference(namespace, value), field }]
  const name = isObject(value) ? value[String(place.name)] : undefined
  if (!isObject(value) || typeof name !== 'string') return []
  const own = typeof value['namespace'] === 'string' ? value['namespace'] : namespace
  return [{ kind, namespace: own, name, field }]
}
