import type { User } from '../auth/user.ts'
import { aggregatedRules } from '../controllers/aggregate-roles.ts'
import { equalJson, isObject, objectsOf } from '../json/json-value.ts'
import type { JsonObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { failedStatus } from '../json/status.ts'
import type { Status } from '../json/status.ts'
import type { ObjectReader } from '../storage/object-reader.ts'
import { describeRights, isTooCostly, matchesUrl, missingRights, quoteList } from './covers.ts'
import { RBAC_GROUP, roleRefOf, rulesOf, subjectsOf } from './policy-rules.ts'
import type { PolicyRule, RoleRef, Subject } from './policy-rules.ts'

/** Attributes of a request for RBAC. `resource` is empty for a non-resource request. */
export interface Attributes {
  verb: string
  group: string
  version?: string
  resource: string
  subresource: string
  namespace: string
  name: string
  /** The path of a non-resource request. */
  path?: string
}

/** Decision of the authorizer; `reason` is for access reviews only. */
export interface Decision {
  allowed: boolean
  reason: string
}

/** Authorizes requests, lists rules, and checks for privilege escalation. */
export interface Authorizer {
  authorize(user: User, attributes: Attributes): Decision
  rulesFor(
    user: User,
    namespace: string,
  ): { resourceRules: JsonObject[]; nonResourceRules: JsonObject[]; evaluationError?: string }
  /** The 403 of a write of a role or binding that would grant the user new rights; `old` makes it an update. */
  checkEscalation(user: User, object: KubeObject, old?: KubeObject): Status | undefined
}

interface Grant {
  readonly binding: KubeObject
  readonly subjects: readonly Subject[]
  readonly ref: RoleRef
  readonly rules: readonly PolicyRule[]
  /** Set when the role does not exist. */
  readonly error: string | undefined
}

const ALLOWED_TO_ALL = 'system:masters'
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
]

/** Creates an RBAC authorizer over the reader's objects; grants are computed once per version of the four kinds. */
export function createAuthorizer(reader: ObjectReader): Authorizer {
  const grantsOf = createGrants(reader)
  const rulesFor = (user: User, namespace: string) => grantsOf(user, namespace).flatMap((grant) => grant.rules)
  const authorize = (user: User, attributes: Attributes): Decision => {
    if (user.groups.includes(ALLOWED_TO_ALL)) return { allowed: true, reason: '' }
    const mine = grantsOf(user, attributes.namespace)
    const allowing = mine.find((grant) => grant.rules.some((rule) => allows(rule, attributes)))
    if (allowing !== undefined)
      return {
        allowed: true,
        // Read by reviews only.
        get reason() {
          return `RBAC: allowed by ${describe(allowing, user)}`
        },
      }
    const errors = errorsOf(mine)
    return { allowed: false, reason: errors ? `RBAC: ${errors}` : '' }
  }
  return {
    authorize,
    rulesFor(user, namespace) {
      const errors = errorsOf(grantsOf(user, namespace))
      return { ...reviewedRules(rulesFor(user, namespace)), ...(errors ? { evaluationError: errors } : {}) }
    },
    checkEscalation(user, object, old) {
      if (user.groups.includes(ALLOWED_TO_ALL) || (old && onlyMetadataChanged(object, old))) return undefined
      const check: EscalationCheck = {
        reader,
        authorize,
        owned: rulesFor(user, object.metadata.namespace ?? ''),
        user,
        object,
        old,
      }
      return object.kind.endsWith('Binding') ? checkBinding(check) : checkRole(check)
    },
  }
}

/** Maximum number of users and namespaces whose grants are kept. */
const MAX_SUBJECTS = 1_000

/** Grants of a user in a namespace, cluster-wide ones first. Kept until an object of RBAC changes; decisions are not kept. */
function createGrants(reader: ObjectReader): (user: User, namespace: string) => readonly Grant[] {
  let key = ''
  const byNamespace = new Map<string, readonly Grant[]>()
  const bySubject = new Map<string, readonly Grant[]>()
  const kinds = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']
  const resolve = (resource: string, namespace: string) =>
    reader.list(RBAC_GROUP, resource, namespace).map((binding) => toGrant(reader, binding, namespace))
  const grantsIn = (namespace: string): readonly Grant[] => {
    let wide = byNamespace.get('')
    if (!wide) byNamespace.set('', (wide = resolve('clusterrolebindings', '')))
    let all = byNamespace.get(namespace)
    if (!all) byNamespace.set(namespace, (all = [...wide, ...resolve('rolebindings', namespace)]))
    return all
  }
  return (user, namespace) => {
    const current = kinds.map((kind) => reader.version(RBAC_GROUP, kind)).join()
    if (current !== key) {
      byNamespace.clear()
      bySubject.clear()
    }
    key = current
    const subject = JSON.stringify([namespace, user.username, user.groups])
    const known = bySubject.get(subject)
    if (known !== undefined) return known
    const mine = grantsIn(namespace).filter((grant) => appliesTo(user, grant))
    if (bySubject.size >= MAX_SUBJECTS) bySubject.clear()
    bySubject.set(subject, mine)
    return mine
  }
}

/** Errors of bindings to missing roles, formatted as an aggregate error. */
function errorsOf(grants: readonly Grant[]): string {
  const errors = [...new Set(grants.flatMap((grant) => grant.error ?? []))]
  return errors.length > 1 ? `[${errors.join(', ')}]` : (errors[0] ?? '')
}

function toGrant(reader: ObjectReader, binding: KubeObject, namespace: string): Grant {
  const ref = roleRefOf(binding)
  const role = findRole(reader, ref, namespace)
  const error = role ? undefined : `${ref.kind.toLowerCase()}.${RBAC_GROUP} ${JSON.stringify(ref.name)} not found`
  return { binding, subjects: subjectsOf(binding), ref, rules: role ? effectiveRules(reader, role) : [], error }
}

function findRole(reader: ObjectReader, ref: RoleRef, namespace: string): KubeObject | undefined {
  if (ref.kind === 'ClusterRole') return reader.get(RBAC_GROUP, 'clusterroles', '', ref.name)
  return ref.kind === 'Role' ? reader.get(RBAC_GROUP, 'roles', namespace, ref.name) : undefined
}

function effectiveRules(reader: ObjectReader, role: KubeObject): PolicyRule[] {
  if (!role['aggregationRule']) return rulesOf(role)
  return rulesOf({ ...role, rules: aggregatedRules(role, reader.list(RBAC_GROUP, 'clusterroles', ''), new Set()) })
}

function appliesTo(user: User, grant: Grant): boolean {
  return grant.subjects.some((subject) => isSubject(user, subject, grant.binding.metadata.namespace ?? ''))
}

function isSubject(user: User, subject: Subject, bindingNamespace: string): boolean {
  if (subject.kind === 'User') return user.username === subject.name
  if (subject.kind === 'Group') return user.groups.includes(subject.name)
  const namespace = subject.namespace || bindingNamespace
  return (
    subject.kind === 'ServiceAccount' &&
    namespace !== '' &&
    user.username === `system:serviceaccount:${namespace}:${subject.name}`
  )
}

function allows(rule: PolicyRule, wanted: Attributes): boolean {
  if (!rule.verbs.includes('*') && !rule.verbs.includes(wanted.verb)) return false
  if (wanted.path !== undefined) {
    const path = wanted.path
    return rule.nonResourceURLs.some((url) => matchesUrl(url, path))
  }
  const combined = wanted.subresource ? `${wanted.resource}/${wanted.subresource}` : wanted.resource
  return (
    (rule.apiGroups.includes('*') || rule.apiGroups.includes(wanted.group)) &&
    rule.resources.some(
      (each) => each === '*' || each === combined || (wanted.subresource !== '' && each === `*/${wanted.subresource}`),
    ) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(wanted.name))
  )
}

function describe(grant: Grant, user: User): string {
  const { name, namespace } = grant.binding.metadata
  const subject = grant.subjects.find((each) => isSubject(user, each, namespace ?? ''))
  const who =
    subject?.kind === 'ServiceAccount'
      ? `${subject.name}/${subject.namespace || (namespace ?? '')}`
      : (subject?.name ?? '')
  const binding = namespace
    ? `RoleBinding ${JSON.stringify(`${name}/${namespace}`)}`
    : `ClusterRoleBinding ${JSON.stringify(name)}`
  return `${binding} of ${grant.ref.kind} ${JSON.stringify(grant.ref.name)} to ${subject?.kind ?? ''} ${JSON.stringify(who)}`
}

function reviewedRules(rules: readonly PolicyRule[]): { resourceRules: JsonObject[]; nonResourceRules: JsonObject[] } {
  const named = (rule: PolicyRule) => (rule.resourceNames.length > 0 ? { resourceNames: [...rule.resourceNames] } : {})
  return {
    resourceRules: rules
      .filter((rule) => rule.resources.length > 0)
      .map((rule) => ({
        verbs: [...rule.verbs],
        apiGroups: [...rule.apiGroups],
        resources: [...rule.resources],
        ...named(rule),
      })),
    nonResourceRules: rules
      .filter((rule) => rule.nonResourceURLs.length > 0)
      .map((rule) => ({ verbs: [...rule.verbs], nonResourceURLs: [...rule.nonResourceURLs] })),
  }
}

interface EscalationCheck {
  readonly reader: ObjectReader
  readonly authorize: Authorizer['authorize']
  readonly owned: readonly PolicyRule[]
  readonly user: User
  readonly object: KubeObject
  readonly old: KubeObject | undefined
}

function checkRole(check: EscalationCheck): Status | undefined {
  const { object, old, user } = check
  const resource = `${object.kind.toLowerCase()}s`
  const namespace = object.metadata.namespace ?? ''
  // A create request has no name, so a grant of `escalate` by resourceNames does not apply.
  const name = old ? object.metadata.name : ''
  const escalate = { verb: 'escalate', group: RBAC_GROUP, version: '*', resource, subresource: '', namespace, name }
  if (check.authorize(user, escalate).allowed) return undefined
  if (isTooCostly(check.owned, rulesOf(object))) return forbidden(object, TOO_MANY)
  const missing = missingRights(check.owned, rulesOf(object))
  if (missing.length > 0) return forbidden(object, grantText(user, missing))
  if (!aggregates(object) && !(old && aggregates(old))) return undefined
  if (missingRights(check.owned, EVERYTHING).length === 0) return undefined
  return forbidden(object, 'must have cluster-admin privileges to use the aggregationRule')
}

function checkBinding(check: EscalationCheck): Status | undefined {
  const { object, user, reader } = check
  const ref = roleRefOf(object)
  const namespace = object.metadata.namespace ?? ''
  const resource = ref.kind === 'Role' ? 'roles' : 'clusterroles'
  const bind = { verb: 'bind', group: RBAC_GROUP, version: '*', resource, subresource: '', namespace, name: ref.name }
  if (check.authorize(user, bind).allowed) return undefined
  const role = findRole(reader, ref, namespace)
  if (!role) {
    const details = { name: ref.name, group: RBAC_GROUP, kind: ref.kind.toLowerCase() }
    return failedStatus(
      404,
      'NotFound',
      `${ref.kind.toLowerCase()}.${RBAC_GROUP} ${JSON.stringify(ref.name)} not found`,
      details,
    )
  }
  const rules = effectiveRules(reader, role)
  if (isTooCostly(check.owned, rules)) return forbidden(object, TOO_MANY)
  const missing = missingRights(check.owned, rules)
  return missing.length > 0 ? forbidden(object, grantText(user, missing)) : undefined
}

const TOO_MANY = 'the rules combine to more rights than can be checked against those of the user'

function grantText(user: User, missing: readonly PolicyRule[]): string {
  const who = `user ${JSON.stringify(user.username)} (groups=${quoteList(user.groups)})`
  return `${who} is attempting to grant RBAC permissions not currently held:\n${describeRights(missing)}`
}

function forbidden(object: KubeObject, reason: string): Status {
  const kind = `${object.kind.toLowerCase()}s`
  const { name } = object.metadata
  const message = `${kind}.${RBAC_GROUP} ${JSON.stringify(name)} is forbidden: ${reason}`
  return failedStatus(403, 'Forbidden', message, { name, group: RBAC_GROUP, kind })
}

function aggregates(role: KubeObject): boolean {
  const rule = role['aggregationRule']
  return isObject(rule) && objectsOf(rule['clusterRoleSelectors']).length > 0
}

/** Owners and finalizers may change without a check, so that garbage collection by a user with fewer rights completes. */
function onlyMetadataChanged(object: KubeObject, old: KubeObject): boolean {
  const without = ({
    finalizers: _f,
    ownerReferences: _o,
    managedFields: _m,
    resourceVersion: _r,
    ...rest
  }: KubeObject['metadata']) => rest
  return equalJson({ ...object, metadata: without(object.metadata) }, { ...old, metadata: without(old.metadata) })
}
