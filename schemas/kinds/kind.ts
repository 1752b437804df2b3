import { Type } from 'typebox'
import type { Static, TObject } from 'typebox'
import { GROUP, VERSION } from '../names/group.ts'
import type { TypedObject } from './object.ts'

/** A column of `kubectl get`; priority 1 shows with `-o wide` only. */
export interface PrinterColumn {
  name: string
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  jsonPath: string
  description?: string
  priority?: number
}

/** A CEL rule (`x-kubernetes-validations`). */
export interface Rule {
  rule: string
  message: string
  fieldPath?: string
  reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
}

/** Where the `scale` subresource finds its numbers, as JSON paths of fields. */
export interface ScalePaths {
  specReplicasPath: string
  statusReplicasPath: string
  labelSelectorPath: string
}

/** What a kind says of itself; everything else about it is generated. */
export interface KindDefinition<S extends TObject, T extends TObject> {
  /** API group; default: ours. A third party's kind has its own group. */
  group?: string
  /** Served version; default: ours. */
  version?: string
  kind: string
  plural: string
  /** Default: the kind in lowercase. */
  singular?: string
  shortNames?: readonly string[]
  /** Default: Namespaced. */
  scope?: 'Namespaced' | 'Cluster'
  description: string
  spec: S
  /** What a controller reports. Default: no fields, and objects without a status. */
  status?: T
  printerColumns?: readonly PrinterColumn[]
  /** Present where `kubectl scale` and autoscalers set a number of replicas. */
  scale?: ScalePaths
  /** Fields of the spec, dotted, whose old and new values an audit row of an update shows: numbers, short texts and lists of names, never a secret (A8). */
  audited?: readonly string[]
  /** Rules on the whole object, the only place where CEL sees `metadata.name`. */
  rules?: readonly Rule[]
}

type Declared = KindDefinition<TObject, TObject>

/** A kind as a value: names, schemas, and the type of its objects. */
export interface Kind<Spec = unknown, Status = unknown>
  extends Required<Omit<Declared, 'scale'>>, Pick<Declared, 'scale'> {
  readonly apiVersion: string
  readonly namespaced: boolean
  /** Gives the object its `apiVersion` and `kind`. */
  object(parts: Omit<TypedObject<Spec, Status>, 'apiVersion' | 'kind'>): TypedObject<Spec, Status>
}

/** Whether something reports on objects of the kind: a status of which nothing is ever set would mislead its readers. */
export function hasStatus({ status }: { readonly status: object }): boolean {
  return 'properties' in status && Object.keys(Object(status.properties)).length > 0
}

/** A kind with erased types, without the constructor of its objects. */
export type AnyKind = Omit<Kind, 'object'>

/** The object type of a kind: `ObjectOf<typeof AgentDeployment>`. */
export type ObjectOf<K> = K extends Kind<infer Spec, infer Status> ? TypedObject<Spec, Status> : never

/** Declares a kind. */
export function defineKind<S extends TObject, T extends TObject = TObject>(
  definition: KindDefinition<S, T>,
): Kind<Static<S>, Static<T>> {
  const { group = GROUP, version = VERSION, scope = 'Namespaced', kind } = definition
  const apiVersion = `${group}/${version}`
  return {
    singular: kind.toLowerCase(),
    shortNames: [],
    status: Type.Object({}),
    printerColumns: [],
    audited: [],
    rules: [],
    ...definition,
    group,
    version,
    scope,
    apiVersion,
    namespaced: scope === 'Namespaced',
    object: (parts) => ({ apiVersion, kind, ...parts }),
  }
}
