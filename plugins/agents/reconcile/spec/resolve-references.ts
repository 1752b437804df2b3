import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { PROMPT_KIND } from '#schemas/api/prompts.ts'
import { mayRefer } from '#schemas/kinds/references.ts'
import type { Condition } from '#schemas/kinds/object.ts'
import type { Reference } from '#schemas/kinds/references.ts'
import { PLATFORM_SECRET_MESSAGE, isPlatformSecret } from '#schemas/kinds/platform-secrets.ts'
import { allowedNamespacesOf } from '../../references/read-references.ts'
import type { References } from '../../references/references.ts'
import type { AgentPromptSource, ResolvedPrompt } from '../../contract/points.ts'
import type { FindResource } from '../../contract/resources.ts'
import type { ConditionProblem, MissingReference } from '../conditions/problem.ts'

/** Resolved references: stored with the spec of a revision. */
export interface ReferenceResolution {
  /** `namespace/name` of each route, in the order of the spec: the first one and its fallbacks. */
  readonly routes: readonly string[]
  /** The digest of an image that is referenced by digest. */
  readonly imageDigest?: string
  /** The version of `spec.prompt`, with its variables replaced. */
  readonly prompt?: ResolvedPrompt
}

/** All references, or the problem. A route that is not ready does not block a revision; `warning` has the reason. */
export type ResolvedReferences =
  | { readonly resolved: ReferenceResolution; readonly warning?: ConditionProblem }
  | { readonly refusal: ConditionProblem }

/** The manager's client, references and kinds of the installation. */
export interface ResolveContext {
  readonly cluster: KubeClient
  readonly references: References
  readonly findResource: FindResource
  /** Source of prompts; without one, their kind is not available. */
  readonly prompts?: AgentPromptSource | undefined
}

/** Resolves every reference with the manager's rights. The target must exist and allow the agent's namespace. */
export async function resolveReferences(
  context: ResolveContext,
  agent: AgentDeploymentObject,
): Promise<ResolvedReferences> {
  const references = context.references.collect(AgentDeployment, agent)
  const prompt = agent.spec.prompt === undefined ? undefined : await context.prompts?.resolve(agent)
  const inCluster = prompt === undefined ? references : references.filter(({ kind }) => kind !== PROMPT_KIND)
  const checked = await Promise.all(inCluster.map((one) => check(context, one, agent.metadata.namespace ?? '')))
  const unknown = prompt !== undefined && 'reason' in prompt ? [prompt] : []
  const problems = [...checked.filter((one) => one !== undefined), ...unknown]
  const refusal = joined(problems.filter(({ reason }) => reason !== ROUTE_NOT_READY))
  if (refusal !== undefined) return { refusal }
  const warning = joined(problems)
  const found = prompt === undefined || 'reason' in prompt ? {} : { prompt }
  return { resolved: { ...toResolved(agent, references), ...found }, ...(warning === undefined ? {} : { warning }) }
}

const ROUTE_NOT_READY = 'RouteNotReady'

function joined(problems: readonly ConditionProblem[]): ConditionProblem | undefined {
  const [first] = problems
  const references = problems.flatMap((problem) => problem.references ?? [])
  return first && { reason: first.reason, message: problems.map(({ message }) => message).join(' '), references }
}

function toResolved(agent: AgentDeploymentObject, references: readonly Reference[]): ReferenceResolution {
  const digest = /@(sha256:[0-9a-f]{64})$/.exec(agent.spec.image ?? '')?.[1]
  return {
    routes: references
      .filter((one) => one.kind === 'ModelRoute' && one.field.startsWith('spec.model.'))
      .map((one) => `${one.namespace || agent.metadata.namespace}/${one.name}`),
    ...(digest === undefined ? {} : { imageDigest: digest }),
  }
}

async function check(
  context: ResolveContext,
  reference: Reference,
  from: string,
): Promise<ConditionProblem | undefined> {
  const problem = await problemOf(context, reference, from)
  const { kind, name } = reference
  const namespace = reference.namespace || from
  if (problem === undefined || !isLabel(namespace) || !isName(name)) return problem
  const missing: MissingReference = { reason: problem.reason, kind, namespace, name }
  return { ...problem, references: [missing] }
}

async function problemOf(
  { cluster, findResource }: ResolveContext,
  reference: Reference,
  from: string,
): Promise<ConditionProblem | undefined> {
  const { kind, name, field } = reference
  const namespace = reference.namespace || from
  const resource = findResource(kind)
  if (name === '') return { reason: 'NotFound', message: `${field} is not the name of an object of the kind ${kind}.` }
  const target = `${kind} ${namespace}/${name} (${field})`
  if (resource === undefined)
    return { reason: 'KindNotAvailable', message: `${target}: this installation does not have the kind.` }
  const found = await read(cluster, resource, namespace, name)
  if (found === undefined) return { reason: 'NotFound', message: `${target} does not exist.` }
  if (!mayRefer(from, namespace, allowedNamespacesOf(found)))
    return { reason: 'NotAllowed', message: `${target} does not allow the namespace ${from} (spec.allowedNamespaces).` }
  if (kind === 'Secret' && isPlatformSecret(found.metadata))
    return { reason: 'SecretNotForAgents', message: `${field} ${PLATFORM_SECRET_MESSAGE}.` }
  const unready = unreadyMessage(found)
  return unready === undefined ? undefined : { reason: ROUTE_NOT_READY, message: `${target}: ${unready}` }
}

// Conditions of an earlier generation do not apply to the current one.
function unreadyMessage({ kind, metadata, status }: KubeObject): string | undefined {
  if (kind !== 'ModelRoute') return undefined
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly Condition[] }
  const ready = conditions.find(({ type }) => type === 'Ready')
  return ready?.status === 'False' && ready.observedGeneration === metadata.generation ? ready.message : undefined
}

async function read(
  cluster: KubeClient,
  resource: Resource,
  namespace: string,
  name: string,
): Promise<KubeObject | undefined> {
  if (!isLabel(namespace) || !isName(name)) return undefined
  try {
    // Metadata only: the manager does not read the data of Secrets and ConfigMaps.
    return await cluster.get(resource, { namespace, name }, { metadataOnly: resource.group === '' })
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
