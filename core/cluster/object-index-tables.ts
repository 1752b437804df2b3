import type { Generated } from 'kysely'

/** Values of audited fields by path; fields that the object does not have are absent. */
export type AuditedFields = Readonly<Record<string, string | number | boolean>>

/** Fields of a spec that the kind declares as indexed; null if the index cannot hold them. */
export type IndexedFields = Readonly<Record<string, unknown>>

/** An object that another one names. */
export interface NamedObject {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** A condition that is not as it should be. */
export interface ConditionTrouble {
  readonly reason: string
  /** Time of the transition. */
  readonly since: string | null
  /** The object that is named and cannot be used, if that is the reason. */
  readonly reference?: NamedObject
}

/** Conditions that are not as they should be, by type. */
export type ObjectProblems = Readonly<Record<string, ConditionTrouble>>

/** The tables of `migrations/` (a type: kysely needs its keys to be known). Cluster-scoped objects have the namespace ''. */
export type ObjectIndexTables = {
  /** One row per uid. A row with `deleted_at` is a tombstone: it is kept so that a replay of the deletion changes nothing. */
  object_index: {
    uid: string
    kind: string
    namespace: string
    name: string
    rv: string
    content_hash: string
    deleted_at: Date | null
    /** The deletion was recorded although no informer had seen the object. */
    deletion_missed: Generated<boolean>
    /** Null in rows of versions before migration 0004. */
    audited: Generated<AuditedFields | null>
    /** Null for kinds without indexed fields, and in rows of versions before migration 0008. */
    spec: Generated<IndexedFields | null>
    /** Null if no process that reads them has observed the object; empty if it is well. */
    problems: Generated<ObjectProblems | null>
  }
  /** Last stored resourceVersion of each kind that is watched in all namespaces. */
  resume_versions: { kind: string; rv: string }
  /** Last stored resourceVersion of each kind and namespace, where namespaces are chosen. */
  namespace_resume_versions: { kind: string; namespace: string; rv: string }
  /** Objects of accepted writes that no informer had seen when they were reported. */
  reported_objects: { uid: string; kind: string; namespace: string; name: string; rv: string; reported_at: Date }
}

/** Folder of the migrations. */
export const clusterMigrations = new URL('./migrations/', import.meta.url)
