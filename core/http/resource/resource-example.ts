import { isObject, asObject } from '#core/json/is-object.ts'
import { ObjectMeta } from '#schemas/api/common.ts'
import type { Examples } from '../endpoint/endpoint.ts'
import { hasStatus } from '#schemas/kinds/kind.ts'
import { exampleOf } from '#schemas/values/example-of.ts'
import type { RoutedKind } from './resource-schemas.ts'

/** Example of a stored object: the first example body of the kind with what the cluster adds. Undefined without such a body. */
export function storedExample(kind: RoutedKind, examples: Examples): object | undefined {
  const [first] = Object.values(examples)
  if (first === undefined || !isObject(first.value)) return undefined
  const { metadata, spec } = first.value
  const added = { ...asObject(exampleOf(ObjectMeta)?.value), ...(isObject(metadata) ? metadata : {}) }
  const { namespace, ...shared } = added
  const named = kind.scope === 'Namespaced' ? { namespace, ...shared } : shared
  const status = hasStatus(kind) ? exampleOf(kind.status)?.value : undefined
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: named,
    spec,
    ...(status === undefined ? {} : { status }),
  }
}
