import type { Json } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { Kind } from './kind.ts'

/** The metadata of an object alone. */
export function partialMetadata(object: KubeObject): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }
}

export interface TableOptions {
  now: Date
  resourceVersion: string
  /** `includeObject`: None, Metadata (default) or Object. */
  include: string | null
  /** False for the second and later events of a watch. */
  header?: boolean
}

function rowObject(object: KubeObject, include: string | null): KubeObject | undefined {
  if (include === 'None') return undefined
  return include === 'Object' ? object : partialMetadata(object)
}

/** Objects as a `Table` (meta.k8s.io/v1). */
export function toTable(
  kind: Pick<Kind, 'columns'>,
  objects: readonly KubeObject[],
  options: TableOptions,
): { [key: string]: Json | object | null } {
  const { now, resourceVersion, include, header = true } = options
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion },
    columnDefinitions: header ? kind.columns.map(({ cell: _cell, ...column }) => column) : null,
    rows: objects.map((object) => ({
      cells: kind.columns.map((column) => column.cell(object, now)),
      object: rowObject(object, include),
    })),
  }
}
