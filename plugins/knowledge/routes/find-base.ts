import type { Access, Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseRef } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { KnowledgeBase } from '#schemas/crds/knowledge-base.ts'
import type { KnowledgeServices } from '../services/create-services.ts'
import type { BaseIdentity } from '../store/bases.ts'

/** A call on a knowledge base: the caller, and the proof of its review. */
export interface BaseCall {
  readonly caller: Pick<Caller, 'cluster'>
  readonly access: Pick<Access, 'namespace'>
  readonly params: { readonly name: string }
}

// The manager observes a new object some milliseconds after it was created.
const WAIT_MS = 2_000

/** The live knowledge base with a name, in the namespace of the caller's proof. Throws `not_found`. */
export async function findBase(
  { core }: Pick<KnowledgeServices, 'core'>,
  { caller, access: { namespace }, params: { name } }: BaseCall,
): Promise<BaseIdentity> {
  const find = (waitMs?: number) => core.observed.find('KnowledgeBase', namespace, name, waitMs)
  const found = (await find()) ?? ((await exists(caller, namespace, name)) ? await find(WAIT_MS) : undefined)
  const namespaceUid = found === undefined ? undefined : await core.observed.namespaceUid(namespace)
  if (found === undefined || namespaceUid === undefined)
    throw new Fail('not_found', 'There is no knowledge base with that name in the namespace.')
  return { uid: found.uid, namespace, namespaceUid, name }
}

// With the caller's rights: a caller that may not read the object does not wait for it.
async function exists(caller: Pick<Caller, 'cluster'>, namespace: string, name: string): Promise<boolean> {
  const ref = parseRef({ namespace, name })
  try {
    await caller.cluster.get(KnowledgeBase, ref)
    return true
  } catch (error) {
    if (isStatus(error, 404) || isStatus(error, 403)) return false
    throw error
  }
}
