/** API group of the platform's kinds and virtual resources. */
export const GROUP = 'mesh.dev'

/** The served version of the kinds. */
export const VERSION = 'v1alpha1'

/** `apiVersion` of the platform's objects. */
export const API_VERSION = `${GROUP}/${VERSION}`

/** Namespace in which the platform's own service accounts and Secrets live. */
export const SYSTEM_NAMESPACE = 'mesh-system'

/** Key of an annotation or label in the platform's group, such as `mesh.dev/rollback-to`. */
export function groupKey(name: string): string {
  return `${GROUP}/${name}`
}

/** Field manager of all writes through the API on behalf of a caller. */
export const FIELD_MANAGER = 'mesh-api'
