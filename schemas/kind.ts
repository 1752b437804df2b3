import type { Static, TObject } from 'typebox'
import { API_VERSION, GROUP, VERSION } from './group.ts'
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
  kind: string
  plural: string
  singular: string
  shortNames: readonly string[]
  scope: 'Namespaced' | 'Cluster'
  description: string
  spec: S
  status: T
  printerColumns: readonly PrinterColumn[]
  /** Present where `kubectl scale` and autoscalers set a number of replicas. */
  scale?: ScalePaths
  /** Fields of the spec, dotted, whose old and new values an audit row of an update shows: numbers and short texts, never a secret (A8). */
  audited: readonly string[]
  /** Rules on the whole object, the only place where CEL sees `metadata.name`. */
  rules?: readonly Rule[]
}

/** A kind of ours as a value: names, schemas, and the type of its objects. */
export interface Kind<Spec = unknown, Status = unknown> extends Omit<KindDefinition<TObject, TObject>, 'rules'> {
  readonly group: string
  readonly version: string
  readonly apiVersion: string
  readonly namespaced: boolean
  readonly rules: readonly Rule[]
  /** Gives the object its `apiVersion` and `kind`. */
  object(parts: Omit<TypedObject<Spec, Status>, 'apiVersion' | 'kind'>): TypedObject<Spec, Status>
}

/** The object type of a kind: `ObjectOf<typeof AgentDeployment>`. */
export type ObjectOf<K> = K extends Kind<infer Spec, infer Status> ? TypedObject<Spec, Status> : never

/** Declares a kind of our group. */
export function defineKind<S extends TObject, T extends TObject>(
  definition: KindDefinition<S, T>,
): Kind<Static<S>, Static<T>> {
  return {
    ...definition,
    rules: definition.rules ?? [],
    group: GROUP,
    version: VERSION,
    apiVersion: API_VERSION,
    namespaced: definition.scope === 'Namespaced',
    object: (parts) => ({ apiVersion: API_VERSION, kind: definition.kind, ...parts }),
  }
}
