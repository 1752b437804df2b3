import { isObject, objectsOf, stringOf, stringsOf } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'

/** One rule of a Role or ClusterRole, every list present. */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

/** The role of a binding. */
export interface RoleRef {
  readonly kind: string
  readonly name: string
}

/** One subject of a binding. */
export interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace: string
}

/** The group of the four RBAC kinds. */
export const RBAC_GROUP = 'rbac.authorization.k8s.io'

/** Rules of a stored Role or ClusterRole; a malformed rule grants nothing. */
export function rulesOf(role: KubeObject | undefined): PolicyRule[] {
  return objectsOf(role?.['rules']).map((rule) => ({
    verbs: stringsOf(rule['verbs']),
    apiGroups: stringsOf(rule['apiGroups']),
    resources: stringsOf(rule['resources']),
    resourceNames: stringsOf(rule['resourceNames']),
    nonResourceURLs: stringsOf(rule['nonResourceURLs']),
  }))
}

/** The role that a binding refers to. */
export function roleRefOf(binding: KubeObject): RoleRef {
  const ref = binding['roleRef']
  return isObject(ref) ? { kind: stringOf(ref['kind']), name: stringOf(ref['name']) } : { kind: '', name: '' }
}

/** Subjects of a binding. */
export function subjectsOf(binding: KubeObject): Subject[] {
  return objectsOf(binding['subjects']).map((subject) => ({
    kind: stringOf(subject['kind']),
    name: stringOf(subject['name']),
    namespace: stringOf(subject['namespace']),
  }))
}
