import type { Generated } from 'kysely'

/** Values of audited fields by their path; a field that the object does not have is absent. */
export type AuditedFields = Readonly<Record<string, string | number | boolean>>

/** The tables of `migrations/`. Cluster-scoped objects have the namespace ''. */
export interface ObservedTables {
  observed: {
    uid: string
    kind: string
    namespace: string
    name: string
    rv: string
    content_hash: string
    deleted_at: Date | null
    departed: Generated<boolean>
    /** Null in rows of versions before migration 0004. */
    audited: Generated<AuditedFields | null>
  }
  followed: { kind: string; rv: string }
  followed_namespaces: { kind: string; namespace: string; rv: string }
}

/** Where the migrations of this folder are. */
export const clusterMigrations = new URL('./migrations/', import.meta.url)
