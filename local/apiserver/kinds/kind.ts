import type { CompiledSchema } from '../schema/compile-schema.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { Column } from './columns.ts'
import type { NameRule } from './names.ts'
import { fieldAt } from './selectors.ts'
import type { SelectableFields } from './selectors.ts'

/** Rules of a kind that may differ from `PLAIN`. */
export interface Rules {
  /** PUT without a resourceVersion overwrites. */
  unconditionalUpdate: boolean
  /** PUT of an absent name creates. */
  createOnUpdate: boolean
  generation: boolean
  /** DELETE returns the deleted object, not a Status. */
  returnsDeleted: boolean
  /** DELETE without a propagation policy orphans. */
  orphansByDefault: boolean
  name: NameRule
  fields: SelectableFields
}

export type Subresource = 'status' | 'scale' | 'log' | 'token' | 'finalize'

/** Dotted paths of fields, as a CustomResourceDefinition has them: `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** One kind in one served version: everything that drives verbs, discovery, tables and OpenAPI. */
export interface Kind {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly custom: boolean
  readonly verbs: readonly string[]
  readonly subresources: readonly Subresource[]
  /** Paths of the numbers of a custom kind's `scale` subresource. */
  readonly scale?: ScalePaths
  readonly rules: Rules
  readonly columns: readonly Column[]
  readonly schema: CompiledSchema
  readonly apiVersion: string
  /** Location of its objects in storage, shared by the versions of a kind. */
  readonly storeId: string
  /** The apiVersion objects are stored with. */
  readonly storedAs: string
  /** Warning in the response to each request of a deprecated version. */
  readonly deprecation?: string
  /** True while its definition is being deleted: no object can be created. */
  readonly terminating?: boolean
  /** Aborted when a changed or deleted definition replaces the kind: watches end. Absent for built-in kinds. */
  readonly replaced?: AbortSignal
}

/** Selectable fields of every kind. */
export const NAMED: SelectableFields = {
  'metadata.name': fieldAt('metadata.name'),
  'metadata.namespace': fieldAt('metadata.namespace'),
}

/** Default rules. */
export const PLAIN: Rules = {
  unconditionalUpdate: true,
  createOnUpdate: false,
  generation: false,
  returnsDeleted: false,
  orphansByDefault: false,
  name: 'subdomain',
  fields: NAMED,
}

/** Compiles schemas; the built-in ones come by group and kind. */
export interface SchemaSource {
  compile(schema: JsonSchema): CompiledSchema
  builtIn(group: string, kind: string): JsonSchema | undefined
}

/** The schema of a kind that declares none. */
export const ANY_OBJECT: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
