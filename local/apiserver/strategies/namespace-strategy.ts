import type { Strategy } from './parts/strategy-parts.ts'

/** Strategy of Namespaces: the name is a label; deletion waits for the finalizer `kubernetes`. */
export const namespace: Strategy = {
  defaults(object) {
    const meta = object.metadata
    if (meta.name) meta.labels = { ...meta.labels, 'kubernetes.io/metadata.name': meta.name }
  },
  create(object) {
    const meta = object.metadata
    meta.labels = { ...meta.labels, 'kubernetes.io/metadata.name': meta.name }
    object['spec'] = { finalizers: ['kubernetes'] }
    object['status'] = { phase: 'Active' }
  },
  update(object, old) {
    object['spec'] = old['spec']
  },
}
