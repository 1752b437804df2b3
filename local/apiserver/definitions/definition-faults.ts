import { equalJson, isObject, objectsOf, stringOf, stringsOf } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import { part } from '../json/kube-object.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { forbiddenField, invalidValue, required, unsupportedValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { labelFaults1035, nameFaults } from '../kinds/names.ts'
import { columnFaults, deprecationFaults, scaleFaults, selectableFieldFaults } from './version-faults.ts'
import { isConditionTrue } from './names-condition.ts'
import { versionSchemaFaults } from './version-schema-faults.ts'

const APPROVAL = 'api-approved.kubernetes.io'

/** Faults of a definition, except those of its metadata; `old` makes it an update. */
export function definitionFaults(object: KubeObject, old?: KubeObject): Cause[] {
  const spec = part(object, 'spec')
  // A write of the status, of labels or of finalizers cannot make a valid definition invalid.
  if (old && equalJson(spec, part(old, 'spec'))) return [...namesFaults(acceptedOf(object), 'status.acceptedNames')]
  return [
    ...(old ? changeFaults(spec, old) : objectNameFaults(object, spec)),
    ...groupFaults(spec['group']),
    ...scopeFaults(spec['scope']),
    ...versionsFaults(spec),
    ...requiredNames(part(spec as KubeObject, 'names')),
    ...namesFaults(part(spec as KubeObject, 'names'), 'spec.names'),
    ...conversionFaults(spec['conversion']),
    ...storedFaults(object, spec),
    ...approvalFaults(object, old),
    ...(spec['preserveUnknownFields'] === true ? [preserved()] : []),
  ]
}

const acceptedOf = (object: KubeObject): JsonObject => part(part(object, 'status') as KubeObject, 'acceptedNames')

const preserved = (): Cause =>
  invalidValue(
    'spec.preserveUnknownFields',
    true,
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
  )

function objectNameFaults({ metadata }: KubeObject, spec: JsonObject): Cause[] {
  const { name } = metadata
  const plural = part(spec as KubeObject, 'names')['plural']
  if (name === `${stringOf(plural)}.${stringOf(spec['group'])}`) return []
  return [invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]
}

function groupFaults(group: Json | undefined): Cause[] {
  const at = 'spec.group'
  if (typeof group !== 'string' || group === '') return [required(at)]
  const wrong = nameFaults(group, 'subdomain')
  if (wrong.length > 0) return [invalidValue(at, group, wrong.join(','))]
  return group.includes('.') ? [] : [invalidValue(at, group, 'should be a domain with at least one dot')]
}

function scopeFaults(scope: Json | undefined): Cause[] {
  const known = ['Cluster', 'Namespaced']
  if (!scope) return [required('spec.scope')]
  return known.includes(String(scope)) ? [] : [unsupportedValue('spec.scope', scope, known)]
}

function versionsFaults(spec: JsonObject): Cause[] {
  const versions = objectsOf(spec['versions'])
  const names = versions.map(({ name }) => name)
  const causes = versions.flatMap((version, i) => {
    const wrong = labelFaults1035(stringOf(version['name']))
    const at = `spec.versions[${i}]`
    return [
      ...(wrong.length > 0 ? [invalidValue(`${at}.name`, version['name'] ?? '', wrong.join(','))] : []),
      ...deprecationFaults(version, at),
    ]
  })
  if (new Set(names).size < names.length)
    causes.push(invalidValue('spec.versions', names, 'must contain unique version names'))
  if (versions.filter(({ storage }) => storage === true).length !== 1)
    causes.push(invalidValue('spec.versions', names, 'must have exactly one version marked as storage version'))
  return [
    ...causes,
    ...each(versions, 'schema', 'validation', (version, at) => versionSchemaFaults(version, at)),
    ...each(versions, 'subresources', 'subresources', ({ subresources }, at) => scaleFaults(subresources, at)),
    ...each(versions, 'additionalPrinterColumns', 'additionalPrinterColumns', (version, at) =>
      columnFaults(version['additionalPrinterColumns'], at),
    ),
    ...each(versions, 'selectableFields', 'selectableFields', selectableFieldFaults),
  ]
}

/**
 * Checks a field of every version. If all versions have the same value, it is checked once and its path is that of the
 * field for the whole definition, as in kube-apiserver.
 */
function each(
  versions: readonly JsonObject[],
  field: string,
  whole: string,
  check: (version: JsonObject, path: string) => Cause[],
): Cause[] {
  const [first] = versions
  if (first === undefined) return []
  if (versions.every((version) => equalJson(version[field], first[field]))) return check(first, `spec.${whole}`)
  return versions.flatMap((version, i) => check(version, `spec.versions[${i}].${field}`))
}

function requiredNames(names: JsonObject): Cause[] {
  return ['plural', 'singular', 'kind', 'listKind']
    .filter((key) => !names[key])
    .map((key) => required(`spec.names.${key}`))
}

function namesFaults(names: JsonObject, path: string): Cause[] {
  const mixed = 'may have mixed case, but should otherwise match: '
  const causes = ['plural', 'singular', 'kind', 'listKind'].flatMap((key) => {
    const name = stringOf(names[key])
    const isKind = key === 'kind' || key === 'listKind'
    const wrong = name === '' ? [] : labelFaults1035(isKind ? name.toLowerCase() : name)
    return wrong.length > 0 ? [invalidValue(`${path}.${key}`, name, `${isKind ? mixed : ''}${wrong.join(',')}`)] : []
  })
  if (names['kind'] && names['kind'] === names['listKind'])
    causes.push(invalidValue(`${path}.listKind`, names['listKind'], 'kind and listKind may not be the same'))
  const lists = ['shortNames', 'categories'].flatMap((key) =>
    stringsOf(names[key]).flatMap((name, i) => {
      const wrong = labelFaults1035(name)
      return wrong.length > 0 ? [invalidValue(`${path}.${key}[${i}]`, name, wrong.join(','))] : []
    }),
  )
  return [...causes, ...lists]
}

/** Only `None` is served: an unknown strategy is refused with the same reason by kube-apiserver. */
function conversionFaults(conversion: Json | undefined): Cause[] {
  if (!isObject(conversion)) return []
  const { strategy, webhook } = conversion
  const at = 'spec.conversion'
  if (!strategy) return [required(`${at}.strategy`)]
  if (strategy !== 'None') return [unsupportedValue(`${at}.strategy`, strategy, ['None'])]
  const why = 'should not be set when strategy is not set to Webhook'
  return isObject(webhook) ? [forbiddenField(`${at}.webhookClientConfig`, why)] : []
}

function storedFaults(object: KubeObject, spec: JsonObject): Cause[] {
  const stored = stringsOf(part(object, 'status')['storedVersions'])
  const at = 'status.storedVersions'
  const names = objectsOf(spec['versions']).map(({ name }) => stringOf(name))
  if (stored.length === 0) return [invalidValue(at, stored, 'must have at least one stored version')]
  const missing = objectsOf(spec['versions']).filter(
    ({ storage, name }) => storage === true && !stored.includes(stringOf(name)),
  )
  const unlisted = missing.map(({ name }) =>
    invalidValue(at, stored, `must have the storage version ${stringOf(name)}`),
  )
  const gone = stored.flatMap((name, i) => {
    const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
    return names.includes(name) ? [] : [invalidValue(`${at}[${i}]`, name, why)]
  })
  return [...unlisted, ...gone]
}

function changeFaults(spec: JsonObject, old: KubeObject): Cause[] {
  const before = part(old, 'spec')
  const names = part(spec as KubeObject, 'names')
  const oldNames = part(before as KubeObject, 'names')
  const frozen = (at: string, now: Json | undefined, was: Json | undefined) =>
    now === was ? [] : [invalidValue(at, now ?? '', 'field is immutable')]
  return [
    ...(isConditionTrue(old, 'Established')
      ? [
          ...frozen('spec.scope', spec['scope'], before['scope']),
          ...frozen('spec.names.kind', names['kind'], oldNames['kind']),
        ]
      : []),
    ...frozen('spec.group', spec['group'], before['group']),
    ...frozen('spec.names.plural', names['plural'], oldNames['plural']),
  ]
}

/** Groups of the Kubernetes community need an annotation with the approval, or with a reason that begins with `unapproved`. */
function approvalFaults(object: KubeObject, old?: KubeObject): Cause[] {
  const group = stringOf(part(object, 'spec')['group'])
  if (!/(^|\.)(k8s\.io|kubernetes\.io)$/.test(group)) return []
  const given = object.metadata.annotations?.[APPROVAL] ?? ''
  if (old && (old.metadata.annotations?.[APPROVAL] ?? '') === given) return []
  const at = `metadata.annotations[${APPROVAL}]`
  const why = `protected groups must have approval annotation "${APPROVAL}"`
  if (given === '') return [required(at, `${why}, see https://github.com/kubernetes/enhancements/pull/1111`)]
  return given.startsWith('unapproved') || URL.canParse(given) ? [] : [invalidValue(at, given, why)]
}
