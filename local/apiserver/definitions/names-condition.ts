import { equalJson, objectsOf } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import { part, timestamp } from '../json/kube-object.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { DefinedNames } from '../kinds/custom-kinds.ts'

/** A condition of a definition. */
export interface Condition {
  readonly type: 'NamesAccepted' | 'Established' | 'Terminating'
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

const NO_NAMES: DefinedNames = { plural: '', kind: '' }

/** Names in use by other kinds of a group: resources (plural, singular, short) and kinds (kind, list kind). */
export interface UsedNames {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

/** The status with the condition set; an unchanged status of the condition keeps its time. */
export function withCondition(status: JsonObject, condition: Condition, now: Date): JsonObject {
  const conditions = objectsOf(status['conditions'])
  const before = conditions.find(({ type }) => type === condition.type)
  const lastTransitionTime = before?.['status'] === condition.status ? before['lastTransitionTime'] : timestamp(now)
  const next: JsonObject = { lastTransitionTime, ...condition }
  const all = before ? conditions.map((each) => (each === before ? next : each)) : [...conditions, next]
  return { ...status, conditions: all }
}

/** True if the definition has the condition with status True. */
export const isConditionTrue = (definition: KubeObject, type: Condition['type']): boolean =>
  objectsOf(part(definition, 'status')['conditions']).some((each) => each['type'] === type && each['status'] === 'True')

/** The names that a definition may use, and whether these are all that it requests. */
export function acceptNames(
  requested: DefinedNames,
  accepted: DefinedNames,
  used: UsedNames,
): { readonly names: DefinedNames; readonly condition: Condition } {
  let conflict: { reason: string; message: string } | undefined
  const isFree = (name: string | undefined, own: string | undefined, taken: ReadonlySet<string>, reason: string) => {
    if (name === own || name === undefined || !taken.has(name)) return true
    conflict = { reason, message: `${JSON.stringify(name)} is already in use` }
    return false
  }
  const choose = (key: 'plural' | 'singular' | 'kind' | 'listKind', taken: ReadonlySet<string>) => {
    const reason = `${key.charAt(0).toUpperCase()}${key.slice(1)}Conflict`
    return isFree(requested[key], accepted[key], taken, reason) ? requested[key] : accepted[key]
  }
  const plural = choose('plural', used.resources) ?? ''
  const singular = choose('singular', used.resources) ?? ''
  const mine = new Set(accepted.shortNames)
  const clashing = (requested.shortNames ?? []).filter((name) => !mine.has(name) && used.resources.has(name))
  if (clashing.length > 0) {
    const texts = clashing.map((name) => `${JSON.stringify(name)} is already in use`)
    conflict = {
      reason: 'ShortNamesConflict',
      message: texts.length === 1 ? String(texts[0]) : `[${texts.join(', ')}]`,
    }
  }
  const { shortNames } = clashing.length > 0 ? accepted : requested
  const kind = choose('kind', used.kinds) ?? ''
  const listKind = choose('listKind', used.kinds) ?? ''
  const { categories } = requested
  const names = {
    plural,
    ...(singular ? { singular } : {}),
    ...(shortNames ? { shortNames } : {}),
    kind,
    ...(listKind ? { listKind } : {}),
    ...(categories ? { categories } : {}),
  }
  const { reason, message } = conflict ?? { reason: 'NoConflicts', message: 'no conflicts found' }
  return { names, condition: { type: 'NamesAccepted', status: conflict ? 'False' : 'True', reason, message } }
}

/** The definition with the status of its names, or undefined when nothing changes. */
export function withNames(definition: KubeObject, used: UsedNames, now: Date): KubeObject | undefined {
  const before = part(definition, 'status')
  const requested = part(definition, 'spec')['names'] as DefinedNames | undefined
  const { names, condition } = acceptNames(requested ?? NO_NAMES, namesOf(definition), used)
  const acceptedNames: Json = JSON.parse(JSON.stringify(names))
  let status = withCondition({ ...before, acceptedNames }, condition, now)
  if (!isConditionTrue(definition, 'Established')) {
    const established: Condition =
      condition.status === 'True'
        ? {
            type: 'Established',
            status: 'True',
            reason: 'InitialNamesAccepted',
            message: 'the initial names have been accepted',
          }
        : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
    status = withCondition(status, established, now)
  }
  return equalJson(status, before) ? undefined : { ...definition, status }
}

/** The accepted names of a definition. */
export function namesOf(definition: KubeObject): DefinedNames {
  const names = part(definition, 'status')['acceptedNames'] as DefinedNames | undefined
  return names ?? NO_NAMES
}
