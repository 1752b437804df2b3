import { isLabel, isName } from '#core/kube/names.ts'
import type { KubeObject } from '#core/kube/client.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import type { TypedObject } from '#schemas/kinds/object.ts'
import { collectReferences } from '#schemas/kinds/references.ts'
import type { Reference } from '#schemas/kinds/references.ts'
import type { ReferenceMark } from '../contract/points.ts'
import { toMarkedSchema } from './marked-field.ts'
import { referencedKinds } from './reference-kinds.ts'

/** References of objects: those that schemas mark, and those that plugins mark by `agents.reference`. */
export interface References {
  /** Kinds that objects of a kind may refer to. */
  targetsOf(kind: AnyKind): ReadonlySet<string>
  collect(kind: AnyKind, object: TypedObject): Reference[]
  /** Kinds that objects of a kind may refer or link to. */
  shownTargetsOf(kind: AnyKind): ReadonlySet<string>
  /** References and links of an object; links are shown, but do not hold back a revision. */
  collectShown(kind: AnyKind, object: TypedObject): Reference[]
  /** The marked annotations and labels of an object, which refer to others without being part of its spec. */
  markedMetadata(object: KubeObject): readonly unknown[]
}

/** Creates the reader of references. Without marks it reads those of the schemas. */
export function createReferences(marks: readonly ReferenceMark[]): References {
  const marksOf = Map.groupBy(marks, ({ from }) => from)
  const of = (kind: string): readonly ReferenceMark[] => marksOf.get(kind) ?? []
  const targetsOf = (kind: AnyKind) => new Set([...referencedKinds(kind), ...of(kind.kind).map(({ to }) => to)])
  const collect = (kind: AnyKind, object: TypedObject): Reference[] => [
    ...collectReferences(kind.spec, object),
    ...of(kind.kind).flatMap((mark) => collectMarked(mark, object)),
  ]
  return {
    targetsOf,
    collect,
    shownTargetsOf: (kind) => new Set([...targetsOf(kind), ...referencedKinds(kind, 'x-mesh-link')]),
    collectShown: (kind, object) => [...collect(kind, object), ...collectReferences(kind.spec, object, 'x-mesh-link')],
    markedMetadata: (object) => of(object.kind).map(({ at }) => valueIn(at, object)),
  }
}

/** The references of schemas only. */
export const schemaReferences: References = createReferences([])

function collectMarked({ at, to }: ReferenceMark, object: TypedObject): Reference[] {
  if ('field' in at) return collectReferences(toMarkedSchema(at.field, to), object)
  const value = valueIn(at, object)
  if (value === undefined) return []
  const [where, key] = 'annotation' in at ? ['annotations', at.annotation] : ['labels', at.label]
  const parts = value.split('/')
  const [name = '', namespace = object.metadata.namespace ?? ''] = parts.toReversed()
  // Any string up to 256 KiB may be here, and messages name the target.
  const isReadable = parts.length <= 2 && isName(name) && (namespace === '' || isLabel(namespace))
  const target = isReadable ? { namespace, name } : { namespace: '', name: '' }
  return [{ kind: to, ...target, field: `metadata.${where}[${key}]` }]
}

function valueIn(at: ReferenceMark['at'], { metadata }: KubeObject): string | undefined {
  if ('field' in at) return undefined
  const value: unknown = 'annotation' in at ? metadata.annotations?.[at.annotation] : metadata.labels?.[at.label]
  return typeof value === 'string' ? value : undefined
}
