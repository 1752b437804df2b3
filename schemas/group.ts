/** API group of every kind and virtual resource of ours. */
export const GROUP = 'mesh.dev'

/** The one served version of our kinds. */
export const VERSION = 'v1alpha1'

/** `apiVersion` of every object of ours. */
export const API_VERSION = `${GROUP}/${VERSION}`

/** Namespace in which the platform's own service accounts and Secrets live. */
export const SYSTEM_NAMESPACE = 'mesh-system'

/** Key of an annotation or label in our group, such as `mesh.dev/rollback-to`. */
export function groupKey(name: string): string {
  return `${GROUP}/${name}`
}

/** Field manager of everything that is written through the API as a caller. */
export const FIELD_MANAGER = 'mesh-api'
