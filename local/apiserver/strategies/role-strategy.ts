import { isObject } from '../json/json-value.ts'
import { invalidValue } from '../json/status.ts'
import { immutable, section } from './parts/strategy-parts.ts'
import type { Strategy } from './parts/strategy-parts.ts'

/** Strategy of RoleBindings and ClusterRoleBindings: `roleRef` is immutable. */
export const roleRef: Strategy = {
  defaults(object) {
    for (const holder of [object['roleRef'], ...(Array.isArray(object['subjects']) ? object['subjects'] : [])]) {
      if (!isObject(holder)) continue
      if (holder['kind'] === 'ServiceAccount') delete holder['apiGroup']
      else holder['apiGroup'] ??= 'rbac.authorization.k8s.io'
    }
  },
  validate: (object, old) =>
    immutable(object, old, 'roleRef').map((cause) => {
      const { apiGroup: APIGroup, kind: Kind, name: Name } = section(object, 'roleRef')
      return { ...cause, ...invalidValue('roleRef', { APIGroup, Kind, Name }, 'cannot change roleRef') }
    }),
}

/** The rules of a role have no `omitempty`: null if absent. */
export const rules: Strategy = {
  defaults(object) {
    object['rules'] ??= null
  },
  stored(object) {
    if (Array.isArray(object['rules']) && object['rules'].length === 0) object['rules'] = null
  },
}
