import { createTtlCache } from '#core/async/ttl-cache.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { GuardrailPolicy } from '#schemas/crds/guardrail-policy.ts'
import type { GuardrailPolicyObject } from '#schemas/crds/guardrail-policy.ts'
import { mayRefer } from '#schemas/kinds/references.ts'
import { toPolicySet, unavailable } from './agent-policies.ts'
import type { PolicySet } from './agent-policies.ts'

/** Namespace and name of an agent or a policy. */
export interface NamespacedName {
  readonly namespace: string
  readonly name: string
}

/** The policies that apply to calls. Each method throws `guardrail_unavailable` if a policy is missing or cannot be applied. */
export interface PolicySource {
  /** Policies of the agent's spec, in order, then policies of its namespace. */
  ofAgent(agent: NamespacedName): Promise<PolicySet>
  /** Policies that apply to the whole namespace. */
  ofNamespace(namespace: string): Promise<PolicySet>
}

/** A changed policy applies within this time in gateway and state role. It is not a permission: callers are authenticated for each call. */
const TTL_MS = 2_000
const PAGE = 50
/** Maximum number of policies that apply to a whole namespace. */
const MAX_OF_NAMESPACE = 32
/** Compiled sets by content; the same policies are compiled once. */
const KEPT_SETS = 500

/** Creates the source, on the role's own identity. */
export function createPolicySource(cluster: Pick<KubeClient, 'get' | 'list'>, ttlMs = TTL_MS): PolicySource {
  const agents = createTtlCache<readonly NamespacedName[]>(ttlMs)
  const namespaces = createTtlCache<readonly GuardrailPolicyObject[]>(ttlMs)
  const policies = createTtlCache<GuardrailPolicyObject | undefined>(ttlMs)
  const compile = createCompiler()
  const wide = (namespace: string): Promise<readonly GuardrailPolicyObject[]> =>
    namespaces(namespace, () => listWide(cluster, namespace))
  const named = async (own: string, ref: NamespacedName): Promise<GuardrailPolicyObject> => {
    const key = `${ref.namespace}/${ref.name}`
    const policy = await policies(key, () => readPolicy(cluster, ref))
    if (policy === undefined) throw unavailable(`The guardrail policy ${key} does not exist.`)
    if (!mayRefer(own, ref.namespace, policy.spec.allowedNamespaces))
      throw unavailable(`The guardrail policy ${key} does not allow the namespace ${own}.`)
    return policy
  }
  return {
    async ofAgent(agent) {
      const { namespace, name } = agent
      const [refs, ofNamespace] = await Promise.all([
        agents(`${namespace}/${name}`, () => readRefs(cluster, agent)),
        wide(namespace),
      ])
      const own = await Promise.all(refs.map((ref) => named(namespace, ref)))
      const uids = new Set(own.map(({ metadata }) => metadata.uid))
      return compile([...own, ...ofNamespace.filter(({ metadata }) => !uids.has(metadata.uid))])
    },
    ofNamespace: async (namespace) => compile(await wide(namespace)),
  }
}

function createCompiler(): (objects: readonly GuardrailPolicyObject[]) => PolicySet {
  const sets = new Map<string, PolicySet>()
  const empty = toPolicySet([])
  return (objects) => {
    if (objects.length === 0) return empty
    const key = objects.map(({ metadata: { uid, generation } }) => `${uid}/${generation}`).join(' ')
    const set = sets.get(key) ?? toPolicySet(objects)
    // The first entry is the least recently used.
    sets.delete(key)
    sets.set(key, set)
    const [oldest] = sets.keys()
    if (sets.size > KEPT_SETS && oldest !== undefined) sets.delete(oldest)
    return set
  }
}

async function readRefs(
  cluster: Pick<KubeClient, 'get'>,
  { namespace, name }: NamespacedName,
): Promise<readonly NamespacedName[]> {
  if (!isLabel(namespace) || !isName(name)) return []
  const agent = await orMissing(cluster.get<AgentDeploymentObject>(AgentDeployment, { namespace, name }))
  return (agent?.spec.guardrails ?? []).map((ref) => ({ namespace: ref.namespace ?? namespace, name: ref.name }))
}

async function readPolicy(
  cluster: Pick<KubeClient, 'get'>,
  { namespace, name }: NamespacedName,
): Promise<GuardrailPolicyObject | undefined> {
  if (!isLabel(namespace) || !isName(name)) return undefined
  return orMissing(cluster.get<GuardrailPolicyObject>(GuardrailPolicy, { namespace, name }))
}

/** Policies that apply to a whole namespace. Read in pages, since all policies may be far larger than those that apply. */
export async function listWide(
  cluster: Pick<KubeClient, 'list'>,
  namespace: string,
): Promise<readonly GuardrailPolicyObject[]> {
  if (!isLabel(namespace)) return []
  const found: GuardrailPolicyObject[] = []
  for (let from: string | undefined; ;) {
    const more = from === undefined ? {} : { continue: from }
    const page = await cluster.list<GuardrailPolicyObject>(GuardrailPolicy, { namespace, limit: PAGE, ...more })
    found.push(...page.items.filter(({ spec }) => spec.appliesTo === 'namespace'))
    if (found.length > MAX_OF_NAMESPACE)
      throw unavailable(`More than ${MAX_OF_NAMESPACE} guardrail policies apply to the namespace ${namespace}.`)
    if (page.continue === undefined || page.continue === '') return found
    from = page.continue
  }
}

async function orMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
