import type { Access } from '#core/cluster/caller.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { runExecutor } from '../contract/points.ts'
import type { SubjectAttributes } from '#core/cluster/token-review.ts'
import type { Permission } from '../contract/prepared-run.ts'

/** The permission of runs of agents. */
export const invoke: Permission = { verb: 'create', resource: 'agentdeployments/invoke' }

/** A permission for one object of a namespace, or for all of them. */
export interface PermissionIn extends Permission {
  readonly namespace: string
  readonly name?: string | undefined
}

/** Throws unless the proof is that this caller has the permission. A proof without a name covers every object of the namespace. */
export function checkProof(caller: { readonly username: string }, access: Access, wanted: PermissionIn): void {
  const { verb, resource, group, namespace, name, username } = access
  if (verb !== wanted.verb || resource !== wanted.resource || group !== wanted.group)
    throw new Error(`the proof is for ${verb} ${resource}, the run needs ${wanted.verb} ${wanted.resource}`)
  if (namespace !== wanted.namespace || (name !== undefined && name !== wanted.name))
    throw new Error('the proof is for another object or namespace')
  if (username !== caller.username) throw new Error('the proof is of another caller')
}

/**
 * Whether a subject is the ServiceAccount of the agent that it invokes, in a run of an executor that may act as agents. The manager creates that account
 * with the agent and owns it, and an evaluation that no person requests acts as it (ADR 0298). For other executors, each author of their objects could invoke
 * every agent by naming its account (ADR 0308).
 */
export function isOfItself(
  { extensions }: Pick<Core, 'extensions'>,
  { subject, executor }: { readonly subject: string; readonly executor: string | null | undefined },
  { verb, resource, group, namespace, name }: PermissionIn,
): boolean {
  const isInvoke = verb === invoke.verb && resource === invoke.resource && group === undefined
  if (!isInvoke || name === undefined || subject !== `system:serviceaccount:${namespace}:${name}`) return false
  return extensions(runExecutor).some(({ kind, actsAsAgent }) => kind === executor && actsAsAgent === true)
}

/** The access review of a permission. */
export function toQuestion({ verb, resource, group, namespace, name }: PermissionIn): SubjectAttributes {
  return { verb, resource, namespace, ...(group ? { group } : {}), ...(name ? { name } : {}) }
}

/** The scope of a grant: the reviewed permission, so that it can be reviewed again. */
export function toScope({ verb, resource, group, name }: Permission & Pick<PermissionIn, 'name'>): string {
  return JSON.stringify([verb, resource, group ?? null, name ?? null])
}

/** The access review of a scope; undefined for other strings. */
export function fromScope(scope: string | undefined, namespace: string): SubjectAttributes | undefined {
  if (scope?.startsWith('[') !== true) return undefined
  const [verb, resource, group, name] = JSON.parse(scope) as readonly [string, string, string | null, string | null]
  return { verb, resource, namespace, ...(group === null ? {} : { group }), ...(name === null ? {} : { name }) }
}
