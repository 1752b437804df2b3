import { isObject } from '#core/json/is-object.ts'
import type { OwnedValue } from '#core/jobs/extension-point.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import { didYouMean } from '#schemas/values/nearest.ts'
import type { ReferenceMark } from '../contract/points.ts'
import { otherTargets } from '../contract/resources.ts'
import { findField, isFieldPath } from './marked-field.ts'

const qualifiedName = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/

/** Refuses marks that could not be followed: of unknown kinds or fields, or of fields that a schema already marks. */
export function checkMarks(marks: readonly OwnedValue<ReferenceMark>[], kinds: readonly OwnedValue<AnyKind>[]): void {
  for (const { owner, value } of marks) {
    const problem = formProblem(value) ?? kindProblem(value, kinds) ?? fieldProblem(value, kinds)
    if (problem !== undefined) throw new Error(`${owner}: agents.reference ${problem}`)
  }
}

// Plugins may be untyped.
function formProblem(mark: unknown): string | undefined {
  const form = "must be { from: 'AgentDeployment', at: { annotation: 'acme.example/guard' }, to: 'Guard' }"
  if (!isObject(mark) || typeof mark['from'] !== 'string' || typeof mark['to'] !== 'string') return form
  const at = isObject(mark['at']) ? Object.entries(mark['at']) : []
  const [[where, key] = []] = at
  if (at.length !== 1 || typeof key !== 'string') return form
  if (where === 'field')
    return isFieldPath(key) ? undefined : 'at.field must be a path of the spec, such as tools[].name'
  if (where !== 'annotation' && where !== 'label') return form
  return qualifiedName.test(key) ? undefined : `at.${where} must be a key, such as acme.example/guard`
}

function kindProblem({ from, to }: ReferenceMark, kinds: readonly OwnedValue<AnyKind>[]): string | undefined {
  const known = kinds.map(({ value }) => value.kind)
  const targets = [...known, ...otherTargets.map(({ kind }) => kind)]
  const [unknown, names] = known.includes(from) ? [to, targets] : [from, known]
  if (names.includes(unknown)) return undefined
  return `names the kind ${JSON.stringify(unknown.slice(0, 80))}, which no plugin has${didYouMean(unknown, names)}`
}

function fieldProblem({ from, at, to }: ReferenceMark, kinds: readonly OwnedValue<AnyKind>[]): string | undefined {
  const kind = kinds.find(({ value }) => value.kind === from)
  if (!('field' in at) || kind === undefined) return undefined
  const { node, marked } = findField(kind.value.spec, at.field)
  const field = `spec.${at.field} of ${from}`
  if (marked !== undefined)
    return `marks ${field} as a reference to ${to}, and the schema of ${kind.owner} marks it as one to ${marked}`
  if (node === undefined) return `marks ${field}, which the schema of ${kind.owner} does not have`
  if (node['type'] === 'string' || (isObject(node['properties']) && Object.hasOwn(node['properties'], 'name')))
    return undefined
  return `marks ${field}, which in the schema of ${kind.owner} is neither a string nor an object with a name`
}
