import type { Access, AccessScope, Caller, ReviewTarget } from '#core/cluster/caller.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { ScopeFrom } from './endpoint/authz.ts'

/** The review of a list or a sum, as its route declares it and its query narrows it. */
export interface ScopeReview<V extends string, R extends string> {
  readonly verb: V
  readonly resource: R
  readonly none: ScopeFrom['none']
  /** Namespace of the query; '' is the cluster. */
  readonly target: ReviewTarget
  /** `permitted`, or undefined. */
  readonly scope: unknown
}

/**
 * Reviews what a list or a sum may read: one namespace or the cluster. With `scope=permitted` it is the cluster for callers who may read it,
 * and otherwise each namespace (16 at once, by name). Namespaces that do not pass are not revealed.
 */
export async function reviewScope<V extends string, R extends string>(
  directory: Directory | undefined,
  caller: Caller,
  { verb, resource, none, target, scope }: ScopeReview<V, R>,
): Promise<AccessScope<V, R>> {
  if (scope !== 'permitted' || target.namespace !== '') return [await caller.review(verb, resource, target)]
  // Rows without a namespace, and those of deleted ones, belong to the cluster.
  const whole = await caller.may(verb, resource, target)
  if (whole !== undefined) return [whole]
  if (directory === undefined) throw new Fail('not_wired')
  const proofs: Access<V, R>[] = []
  await directory.permitted(caller, verb, resource, '', async (access) => {
    proofs.push(access)
    return 'more'
  })
  // The cluster's own refusal, never an empty list.
  if (proofs.length === 0 && none === 'denied') return [await caller.review(verb, resource, target)]
  return proofs
}
