/** Owner of an object, as Kubernetes writes it in `metadata.ownerReferences`. */
export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** One entry of `metadata.managedFields`. */
export interface ManagedFields {
  readonly manager?: string
  readonly operation?: 'Apply' | 'Update'
  readonly apiVersion?: string
  readonly time?: string
  readonly fieldsType?: string
  readonly fieldsV1?: Readonly<Record<string, unknown>>
  readonly subresource?: string
}

/** Kubernetes ObjectMeta; everything that the API server fills in is optional. */
export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly generateName?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly ManagedFields[]
}

/** Kubernetes Condition, as in `status.conditions`. */
export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason: string
  message: string
  lastTransitionTime: string
  observedGeneration?: number
}

/** An object of the cluster in its Kubernetes form. */
export type TypedObject<Spec = unknown, Status = unknown> = {
  // A type alias, not an interface: only aliases fit the index signature of the cluster client's objects.
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  spec: Spec
  status?: Status
}
