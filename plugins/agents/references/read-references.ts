import type { Caller } from '#core/cluster/caller.ts'
import type { CallOptions, KubeObject } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { isObject } from '#core/json/is-object.ts'
import { mapConcurrently } from '#core/async/map-concurrently.ts'
import { PROMPT_KIND } from '#schemas/api/prompts.ts'
import type { AgentPromptSource } from '../contract/points.ts'
import type { FindResource } from '../contract/resources.ts'
import type { Reference } from '#schemas/kinds/references.ts'

/** A reference and whether its target exists; null if the caller may not read it. */
export interface CheckedReference extends Reference {
  found: boolean | null
}

/** Options of reading targets; `findResource` knows the kinds of the installation. */
export interface ReadOptions extends CallOptions {
  readonly findResource: FindResource
  /** Source of prompts, which are no objects of the cluster. */
  readonly prompts?: AgentPromptSource | undefined
}

/** Reads the targets of references with the caller's rights, each target once. */
export async function readReferences(
  caller: Caller,
  references: readonly Reference[],
  options: ReadOptions,
): Promise<CheckedReference[]> {
  const targets = new Map(references.map((reference) => [keyOf(reference), reference]))
  const seen = await mapConcurrently([...targets.values()], async (target) => {
    const answer = await readTarget(caller, target, options)
    return [keyOf(target), answer.found] as const
  })
  const found = new Map(seen)
  return references.map((reference) => ({ ...reference, found: found.get(keyOf(reference)) ?? null }))
}

/** Reads one target with the caller's rights. An object of a kind that is not installed cannot exist. */
export async function readTarget(
  caller: Caller,
  target: Pick<Reference, 'kind' | 'namespace' | 'name'>,
  { findResource, prompts, ...options }: ReadOptions,
): Promise<{ found: boolean | null; object?: KubeObject }> {
  if (target.kind === PROMPT_KIND && prompts !== undefined) return { found: await prompts.find(caller, target) }
  const resource = findResource(target.kind)
  const { namespace, name } = target
  if (resource === undefined || !isName(name)) return { found: false }
  if (resource.namespaced && !isLabel(namespace)) return { found: false }
  const ref = resource.namespaced && isLabel(namespace) ? { namespace, name } : { name }
  try {
    return { found: true, object: await caller.cluster.get(resource, ref, options) }
  } catch (error) {
    if (isStatus(error, 404)) return { found: false }
    if (isStatus(error, 403)) return { found: null }
    throw error
  }
}

/** The namespaces whose objects may refer to a target, in addition to its own. Pure. */
export function allowedNamespacesOf(target: Pick<KubeObject, 'spec'> | undefined): readonly string[] {
  const spec: unknown = target?.spec
  if (!isObject(spec) || !Array.isArray(spec['allowedNamespaces'])) return []
  return spec['allowedNamespaces'].filter((namespace) => typeof namespace === 'string')
}

function keyOf({ kind, namespace, name }: Reference): string {
  return `${kind}/${namespace}/${name}`
}
