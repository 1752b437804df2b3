import { timestamp } from '../json/kube-object.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { customColumns } from './columns.ts'
import type { PrinterColumn } from './columns.ts'
import { ANY_OBJECT, PLAIN } from './kind.ts'
import type { Kind, ScalePaths, SchemaSource } from './kind.ts'

/** A CustomResourceDefinition (apiextensions.k8s.io/v1), as far as it is read here. */
export interface CustomResourceDefinition {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly scope: string
    readonly names: {
      readonly plural: string
      readonly singular?: string
      readonly kind: string
      readonly listKind?: string
      readonly shortNames?: readonly string[]
      readonly categories?: readonly string[]
    }
    readonly versions: readonly {
      readonly name: string
      readonly served: boolean
      readonly storage: boolean
      readonly schema?: { readonly openAPIV3Schema?: object }
      readonly subresources?: { readonly status?: object; readonly scale?: ScalePaths }
      readonly additionalPrinterColumns?: readonly object[]
    }[]
  }
}

/** The served versions of a definition. */
export function customKinds(crd: CustomResourceDefinition, schemas: SchemaSource): Kind[] {
  const { group, names, versions, scope } = crd.spec
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
      rules: { ...PLAIN, generation: true, unconditionalUpdate: false },
      columns: customColumns(version.additionalPrinterColumns?.map(toPrinterColumn)),
      schema: schemas.compile({ ...(version.schema?.openAPIV3Schema ?? ANY_OBJECT) }),
      apiVersion: `${group}/${version.name}`,
      storeId: `${group}/${names.plural}`,
      storedAs: `${group}/${storage?.name ?? version.name}`,
    }))
}

function toPrinterColumn(column: object): PrinterColumn {
  const given: Partial<PrinterColumn> = column
  if (given.name === undefined || given.type === undefined || given.jsonPath === undefined) {
    throw new Error(`printer column ${JSON.stringify(column)} needs name, type and jsonPath`)
  }
  return { ...given, name: given.name, type: given.type, jsonPath: given.jsonPath }
}

/** The CustomResourceDefinition as an object that is served: established, with its accepted names. */
export function establishedCrd(crd: CustomResourceDefinition, now: Date): KubeObject {
  const { names, versions } = crd.spec
  const at = timestamp(now)
  const accepted = {
    ...names,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
  }
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    reason,
    message,
    lastTransitionTime: at,
  })
  const status = {
    acceptedNames: accepted,
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    storedVersions: versions.filter((version) => version.storage).map((version) => version.name),
  }
  const spec = { ...crd.spec, names: accepted, conversion: { strategy: 'None' } }
  const object: KubeObject = JSON.parse(
    JSON.stringify({
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      metadata: crd.metadata,
      spec,
      status,
    }),
  )
  return object
}
