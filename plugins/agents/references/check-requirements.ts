import type { Caller } from '#core/cluster/caller.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { Requirement } from '#schemas/api/agent-authoring.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { mayRefer } from '#schemas/kinds/references.ts'
import type { Reference } from '#schemas/kinds/references.ts'
import { mapConcurrently } from '#core/async/map-concurrently.ts'
import { PROMPT_KIND } from '#schemas/api/prompts.ts'
import type { AgentPromptSource, RequirementCheck } from '../contract/points.ts'
import { allowedNamespacesOf, readTarget } from './read-references.ts'
import type { ReadOptions } from './read-references.ts'
import type { References } from './references.ts'
import type { FindResource } from '../contract/resources.ts'

/** Requirements of an agent, checked with the caller's rights: the right to create it, and every reference. */
export async function checkRequirements(
  caller: Caller,
  agent: AgentDeploymentObject & { metadata: { namespace: DnsLabel } },
  options: {
    signal: AbortSignal
    checks: readonly RequirementCheck[]
    references: References
    findResource: FindResource
    prompts?: AgentPromptSource | undefined
  },
): Promise<{ ready: boolean; requirements: Requirement[] }> {
  const { signal, checks, findResource, prompts } = options
  const references = distinct(options.references.collect(AgentDeployment, agent))
  const [permission, targets, others] = await Promise.all([
    checkPermission(caller, agent.metadata.namespace),
    mapConcurrently(references, (reference) =>
      checkReference(caller, reference, agent.metadata.namespace, { signal, findResource, prompts }),
    ),
    Promise.all(checks.map((check) => check(agent, caller, signal))),
  ])
  const requirements = [permission, ...targets, ...others.flat()]
  return { ready: requirements.every((requirement) => requirement.status === 'met'), requirements }
}

async function checkPermission(caller: Caller, namespace: DnsLabel): Promise<Requirement> {
  const access = await caller.may('create', AgentDeployment.plural, { namespace })
  const base = { kind: 'Permission', namespace, name: `create ${AgentDeployment.plural}` }
  if (access !== undefined) return { ...base, status: 'met', fix: '' }
  return {
    ...base,
    status: 'denied',
    fix: `Ask for a role that may create agents in ${namespace}, such as mesh-developer.`,
  }
}

async function checkReference(
  caller: Caller,
  reference: Reference,
  from: string,
  options: ReadOptions,
): Promise<Requirement> {
  const { kind, namespace, name } = reference
  const { found, object } = await readTarget(caller, reference, options)
  if (found === null) {
    return {
      kind,
      namespace,
      name,
      status: 'denied',
      fix: `Ask whether ${kind} ${name} exists in ${namespace}: you may not read it.`,
    }
  }
  if (!found) return { kind, namespace, name, status: 'missing', fix: missingFix(reference, options) }
  if (!mayRefer(from, namespace, allowedNamespacesOf(object))) {
    return {
      kind,
      namespace,
      name,
      status: 'denied',
      fix: `Add ${from} to spec.allowedNamespaces of ${kind} ${namespace}/${name}.`,
    }
  }
  return { kind, namespace, name, status: 'met', fix: '' }
}

function missingFix({ kind, namespace, name, field }: Reference, { findResource, prompts }: ReadOptions): string {
  const isStored = kind === PROMPT_KIND && prompts !== undefined
  if (!isStored && findResource(kind) === undefined)
    return `${kind} is not available on this installation: remove ${field}.`
  return `Create ${kind} ${name} in ${namespace}, or change ${field}.`
}

function distinct(references: readonly Reference[]): Reference[] {
  return [...new Map(references.map((found) => [`${found.kind}/${found.namespace}/${found.name}`, found])).values()]
}
