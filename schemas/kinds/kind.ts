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

/** JSON paths of the fields that the `scale` subresource uses. */
export interface ScalePaths {
  specReplicasPath: string
  statusReplicasPath: string
  labelSelectorPath: string
}

/** Definition of a kind; everything else is generated from it. */
export interface KindDefinition<S extends TObject, T extends TObject> {
  /** API group; default: the platform's. Third-party kinds have their own group. */
  group?: string
  /** Served version; default: the platform's. */
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
  /** Status that a controller reports. Default: no fields, and objects without a status. */
  status?: T
  printerColumns?: readonly PrinterColumn[]
  /** Present if `kubectl scale` and autoscalers can set the number of replicas. */
  scale?: ScalePaths
  /**
   * Dotted paths of spec fields whose old and new values the audit row of an update shows: numbers, short strings and lists of names, never a secret
   * (A8).
   */
  audited?: readonly string[]
  /**
   * Fields of the spec that jobs, tasks and consumers of the plugin read from the object index (`context.indexed`). They are stored as they are, at most
   * 64 KiB of JSON per object, and stand in no event or audit row: never a secret.
   */
  indexed?: readonly (keyof Static<S> & string)[]
  /** Rules on the whole object, the only place where CEL sees `metadata.name`. */
  rules?: readonly Rule[]
}

type Declared = KindDefinition<TObject, TObject>

/** A kind as a value: names, schemas, and the type of its objects. */
export interface Kind<Spec = unknown, Status = unknown>
  extends Required<Omit<Declared, 'scale'>>, Pick<Declared, 'scale'> {
  readonly apiVersion: string
  readonly namespaced: boolean
  /** Creates an object with `apiVersion` and `kind`. */
  object(parts: Omit<TypedObject<Spec, Status>, 'apiVersion' | 'kind'>): TypedObject<Spec, Status>
}

/** Whether a controller reports status on objects of the kind: a status that is never set would mislead readers. */
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
    indexed: [],
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
