import { toStructuralSchema } from './crd-schema.ts'
import type { SchemaNode } from './crd-schema.ts'
import { groupKey } from '../names/group.ts'
import { hasStatus } from './kind.ts'
import type { AnyKind, ScalePaths } from './kind.ts'

/** A CustomResourceDefinition (apiextensions.k8s.io/v1) as plain data. */
export interface CustomResourceDefinition {
  apiVersion: 'apiextensions.k8s.io/v1'
  kind: 'CustomResourceDefinition'
  metadata: { name: string; labels: Record<string, string> }
  spec: {
    group: string
    scope: 'Namespaced' | 'Cluster'
    names: {
      kind: string
      listKind: string
      plural: string
      singular: string
      shortNames?: string[]
      categories: string[]
    }
    versions: CrdVersion[]
  }
}

/** One version of a CustomResourceDefinition. */
export interface CrdVersion {
  name: string
  served: boolean
  storage: boolean
  schema: { openAPIV3Schema: SchemaNode }
  subresources: { status?: Record<string, never>; scale?: ScalePaths }
  additionalPrinterColumns: SchemaNode[]
}

/** The CustomResourceDefinition of a kind. */
export function toCrd(kind: AnyKind): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${kind.plural}.${kind.group}`,
      labels: { [groupKey('component')]: 'crds' },
    },
    spec: {
      group: kind.group,
      scope: kind.scope,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        ...(kind.shortNames.length > 0 ? { shortNames: [...kind.shortNames] } : {}),
        categories: ['mesh'],
      },
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: objectSchema(kind) },
          subresources: {
            ...(hasStatus(kind) ? { status: {} } : {}),
            ...(kind.scale === undefined ? {} : { scale: { ...kind.scale } }),
          },
          additionalPrinterColumns: kind.printerColumns.map((column) => ({ ...column })),
        },
      ],
    },
  }
}

function objectSchema(kind: AnyKind): SchemaNode {
  return {
    type: 'object',
    description: kind.description,
    required: ['spec'],
    ...(kind.rules.length > 0 ? { 'x-kubernetes-validations': kind.rules } : {}),
    properties: {
      apiVersion: { type: 'string', description: 'Group and version of the object.' },
      kind: { type: 'string', description: 'Kind of the object.' },
      metadata: { type: 'object' },
      spec: toStructuralSchema(kind.spec),
      ...(hasStatus(kind) ? { status: toStructuralSchema(kind.status) } : {}),
    },
  }
}
