import { createHash } from 'node:crypto'
import { canonicalJson } from '#core/json/canonical-json.ts'
import { isObject } from '#core/json/is-object.ts'
import type { KubeClient, KubeObject, OwnerReference, Resource } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { objectRefOf } from './object-ref.ts'
import { MANAGER } from './write-status.ts'

/** Digest of the fields that were applied last. Fields that are no longer applied change it. */
export const APPLIED_ANNOTATION = 'mesh.dev/applied'

/** An object of that name exists and belongs to something else. It is left unchanged. */
export class OwnedByOther extends Error {
  readonly live: KubeObject
  constructor(live: KubeObject) {
    super(`${live.kind} ${live.metadata.name} exists and has another owner.`)
    this.name = 'OwnedByOther'
    this.live = live
  }
}

/** Result of an apply. `changed` is false if the object was as desired, and nothing was sent. */
export interface AppliedObject {
  readonly object: KubeObject
  readonly changed: boolean
}

/** Input of an apply. */
export interface ApplyOwnedOptions {
  readonly cluster: Pick<KubeClient, 'get' | 'patch'>
  /** Controller of the object: it is deleted with it, and its changes reconcile the owner. In the same namespace, or cluster-scoped. */
  readonly owner: KubeObject
  readonly resource: Resource
  /** The desired fields; its owner reference is added. */
  readonly object: KubeObject
  /** Default: the manager of the platform. */
  readonly fieldManager?: string
}

/**
 * Applies an owned object by server-side apply. Fields of other managers, such as the replica count of an autoscaler, are kept. Sends
 * nothing if the live object has every desired value and was applied from the same fields. Throws `OwnedByOther`.
 */
export async function applyOwned(options: ApplyOwnedOptions): Promise<AppliedObject> {
  const { cluster, owner, resource, fieldManager = MANAGER } = options
  const desired = withOwner(options.object, owner)
  const ref = objectRefOf(desired)
  const live = await find(cluster, resource, desired)
  if (live !== undefined && !isControlledBy(live, owner)) throw new OwnedByOther(live)
  if (live !== undefined && live.metadata.deletionTimestamp === undefined && contains(live, desired))
    return { object: live, changed: false }
  const patch = { type: 'apply', body: desired, force: true } as const
  return { object: await cluster.patch(resource, ref, patch, { fieldManager }), changed: true }
}

/** Owner reference of a controller. */
export function ownerReferenceOf(owner: KubeObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner
  const { name, uid = '' } = metadata
  // Items of a list have neither version nor kind.
  if (uid === '' || [apiVersion, kind].some((text) => (text as string | undefined) === undefined))
    throw new TypeError(`the owner ${name} must have apiVersion, kind and uid, as an object read from the cluster`)
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** Whether an object belongs to an owner, by uid: a re-created owner has nothing of its predecessor. */
export function isControlledBy(object: Pick<KubeObject, 'metadata'>, owner: Pick<KubeObject, 'metadata'>): boolean {
  const { uid } = owner.metadata
  return uid !== undefined && object.metadata.ownerReferences?.some((one) => one.uid === uid) === true
}

function withOwner(object: KubeObject, owner: KubeObject): KubeObject {
  const { metadata } = object
  const owned = { ...object, metadata: { ...metadata, ownerReferences: [ownerReferenceOf(owner)] } }
  const digest = createHash('sha256').update(canonicalJson(owned)).digest('base64url')
  const annotations = { ...metadata.annotations, [APPLIED_ANNOTATION]: digest }
  return { ...owned, metadata: { ...owned.metadata, annotations } }
}

async function find(
  cluster: Pick<KubeClient, 'get'>,
  resource: Resource,
  object: KubeObject,
): Promise<KubeObject | undefined> {
  try {
    return await cluster.get(resource, objectRefOf(object))
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

// Values that the server normalizes (a quantity of 0.5 is 500m) never match: the object is applied again, which changes nothing.
function contains(live: unknown, desired: unknown): boolean {
  if (Array.isArray(desired))
    return Array.isArray(live) && live.length === desired.length && desired.every((item, n) => contains(live[n], item))
  if (isObject(desired))
    return isObject(live) && Object.entries(desired).every(([key, value]) => contains(live[key], value))
  return live === desired
}
