import type { KubeObject } from '../json/kube-object.ts'
import { customColumns } from './columns.ts'
import type { PrinterColumn } from './columns.ts'
import { ANY_OBJECT, PLAIN } from './kind.ts'
import type { Kind, ScalePaths, SchemaSource } from './kind.ts'
import { fieldAt } from './selectors.ts'
import { byStability } from './version-order.ts'

/** Names of a kind, as requested (`spec.names`) or accepted (`status.acceptedNames`). */
export interface DefinedNames {
  readonly plural: string
  readonly singular?: string
  readonly kind: string
  readonly listKind?: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
}

/** One version of a definition. */
export interface DefinedVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: { readonly openAPIV3Schema?: object }
  readonly subresources?: { readonly status?: object; readonly scale?: ScalePaths }
  readonly additionalPrinterColumns?: readonly object[]
  readonly selectableFields?: readonly { readonly jsonPath: string }[]
}

/** A CustomResourceDefinition (apiextensions.k8s.io/v1), as far as it is read here. */
export interface CustomResourceDefinition {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly scope: string
    readonly names: DefinedNames
    readonly versions: readonly DefinedVersion[]
  }
}

/** Store of the definitions. */
export const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions'

/** Reads a stored definition, which was validated when it was written. */
export const asDefinition = (object: KubeObject): CustomResourceDefinition =>
  object as KubeObject & CustomResourceDefinition

/** Storage location of the objects of a definition. */
export const storeOf = ({ spec }: CustomResourceDefinition): string => `${spec.group}/${spec.names.plural}`

/** State of a served kind beyond its definition: accepted names, termination, and the signal of its replacement. */
export interface ServingState {
  readonly names: DefinedNames
  readonly terminating: boolean
  readonly replaced: AbortSignal
}

/** The served versions of a definition. */
export function customKinds(crd: CustomResourceDefinition, schemas: SchemaSource, serving: ServingState): Kind[] {
  const { group, versions, scope } = crd.spec
  const { names, terminating, replaced } = serving
  const storage = versions.find((version) => version.storage) ?? versions[0]
  return versions
    .filter((version) => version.served)
    .map((version) => ({
      group,
      version: version.name,
      resource: names.plural,
      kind: names.kind,
      singular: names.singular ?? names.kind.toLowerCase(),
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      namespaced: scope === 'Namespaced',
      custom: true,
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      subresources: (['status', 'scale'] as const).filter((name) => version.subresources?.[name] !== undefined),
      ...(version.subresources?.scale === undefined ? {} : { scale: version.subresources.scale }),
      rules: { ...PLAIN, generation: true, unconditionalUpdate: false, fields: fieldsOf(version) },
      columns: customColumns(version.additionalPrinterColumns?.map(toPrinterColumn)),
      schema: schemas.compile({ ...(version.schema?.openAPIV3Schema ?? ANY_OBJECT) }),
      apiVersion: `${group}/${version.name}`,
      storeId: storeOf(crd),
      storedAs: `${group}/${storage?.name ?? version.name}`,
      ...(version.deprecated ? { deprecation: deprecationOf(crd, version) } : {}),
      terminating,
      replaced,
    }))
}

function fieldsOf({ selectableFields = [] }: DefinedVersion): Kind['rules']['fields'] {
  const own = selectableFields.map(({ jsonPath }) => jsonPath.replace(/^\./, ''))
  return { ...PLAIN.fields, ...Object.fromEntries(own.map((path) => [path, fieldAt(path)])) }
}

function deprecationOf(
  { spec: { group, names, versions } }: CustomResourceDefinition,
  version: DefinedVersion,
): string {
  const [newer] = versions
    .filter(({ served, deprecated, name }) => served && !deprecated && byStability(name, version.name) < 0)
    .map(({ name }) => name)
    .sort(byStability)
  const advice = newer === undefined ? '' : `; use ${group}/${newer} ${names.kind}`
  return version.deprecationWarning ?? `${group}/${version.name} ${names.kind} is deprecated${advice}`
}

function toPrinterColumn(column: object): PrinterColumn {
  const given: Partial<PrinterColumn> = column
  if (given.name === undefined || given.type === undefined || given.jsonPath === undefined) {
    throw new Error(`printer column ${JSON.stringify(column)} needs name, type and jsonPath`)
  }
  return { ...given, name: given.name, type: given.type, jsonPath: given.jsonPath }
}
