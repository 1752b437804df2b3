import type { OwnIdentity } from '#core/cluster/token-review.ts'
import { createTtlCache } from '#core/async/ttl-cache.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { agentOfServiceAccount } from '#schemas/names/agent-names.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'

/** The agent of a calling pod. */
export interface CallingAgent {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly spec: AgentDeploymentSpec
}

/**
 * Returns the agent whose launcher sends a bearer with the audience `state`. Throws `unauthenticated`, or `forbidden` for an account that
 * belongs to no agent.
 */
export type FindCallingAgent = (bearer: string) => Promise<CallingAgent>

// A changed spec applies within this time. It is no permission: who calls is authenticated for each request.
const AGENT_TTL_MS = 5_000

/** Creates the look-up of calling agents for routes of the state role. */
export function createFindCallingAgent({
  authenticate,
  cluster,
}: Pick<OwnIdentity, 'authenticate' | 'cluster'>): FindCallingAgent {
  const agents = createTtlCache<CallingAgent | undefined>(AGENT_TTL_MS)
  return async (bearer) => {
    const pod = await authenticate(bearer, 'state')
    if (pod === undefined) throw new Fail('unauthenticated')
    const account = agentOfServiceAccount(pod.username)
    // Keyed by the account's uid, too: a re-created agent has another one.
    const agent =
      account && (await agents(`${pod.uid}/${pod.username}`, () => readAgent(cluster, account.namespace, account.name)))
    if (agent === undefined) throw new Fail('forbidden', 'This service account belongs to no agent.')
    return agent
  }
}

async function readAgent(
  cluster: Pick<KubeClient, 'get'>,
  namespace: string,
  name: string,
): Promise<CallingAgent | undefined> {
  const agent = await findNamedObject<AgentDeploymentObject>(cluster, AgentDeployment, { namespace, name })
  return agent && { namespace, name, uid: agent.metadata.uid ?? '', spec: agent.spec }
}

/** Reads an object by a name that an account, a spec or an envelope gives; undefined for an unknown object and for no name at all. */
export async function findNamedObject<O extends KubeObject>(
  cluster: Pick<KubeClient, 'get'>,
  resource: Resource,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<O | undefined> {
  if (!isLabel(namespace) || !isName(name)) return undefined
  try {
    return await cluster.get<O>(resource, { namespace, name })
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

const RUN_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the run that a launcher names in `X-Mesh-Run-Id`, which is a claim. Throws `malformed_request` for what is no id. */
export function runIdOf(headers: Readonly<Record<string, string | undefined>>): string | undefined {
  const runId = headers['x-mesh-run-id']
  if (runId === undefined || RUN_ID.test(runId)) return runId
  throw new Fail('malformed_request', 'X-Mesh-Run-Id must be a UUID in lower case.')
}
