import { createTtlCache } from '#core/async/ttl-cache.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { findNamedObject } from '#core/kube/find-named-object.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { agentOfServiceAccount } from '#schemas/names/agent-names.ts'
import type { UserInfo } from './caller.ts'
import type { OwnIdentity } from './token-review.ts'

/** The agent whose launcher calls the state role. */
export interface CallingAgent {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Read at most five seconds ago, and not before the first call of the caller's pod. */
  readonly spec: AgentDeploymentSpec
  /** The account of its pods, which the cluster authenticated. */
  readonly account: UserInfo
}

/** Caller of a route for agents. */
export interface LauncherCall {
  readonly agent: CallingAgent
  /** The run that the launcher names in `X-Mesh-Run-Id`. It is not verified: code that relies on it compares it with the stored runs of the agent. */
  readonly run: string | undefined
}

/**
 * Finds the agent whose launcher sends a bearer with the audience `state`. Throws `unauthenticated`, or `forbidden` for an account that
 * belongs to no agent.
 */
export type FindCallingAgent = (bearer: string) => Promise<CallingAgent>

type Known = Pick<CallingAgent, 'uid' | 'spec'> | undefined

/** Extra of a token bound to a pod (Kubernetes, "Bound service account tokens"). */
const POD_UID = 'authentication.kubernetes.io/pod-uid'

// A changed spec applies within this time. It is not a permission: the caller is authenticated for each request.
const AGENT_TTL_MS = 5_000

/** Creates the look-up of calling agents, with the identity of the state role. */
export function createFindCallingAgent(
  { authenticate, cluster }: Pick<OwnIdentity, 'authenticate'> & { readonly cluster: Pick<KubeClient, 'get'> },
  ttlMs = AGENT_TTL_MS,
): FindCallingAgent {
  const agents = createTtlCache<Known>(ttlMs)
  return async (bearer) => {
    const account = await authenticate(bearer, 'state')
    if (account === undefined) throw new Fail('unauthenticated')
    const name = agentOfServiceAccount(account.username)
    const known = name && (await agents(keyOf(account), () => readAgent(cluster, name)))
    if (name === undefined || known === undefined)
      throw new Fail('forbidden', 'This service account does not belong to an agent.')
    return { ...name, ...known, account }
  }
}

// The key contains the uid of the account, since a re-created agent has another one. It also contains the pod, so that the first call of a
// revision sees its spec.
function keyOf({ uid, username, extra }: UserInfo): string {
  return [uid, username, ...(extra[POD_UID] ?? [])].join('/')
}

async function readAgent(
  cluster: Pick<KubeClient, 'get'>,
  name: Pick<CallingAgent, 'namespace' | 'name'>,
): Promise<Known> {
  const agent = await findNamedObject<AgentDeploymentObject>(cluster, AgentDeployment, name)
  return agent && { uid: agent.metadata.uid ?? '', spec: agent.spec }
}

const RUN_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Reads the value of `X-Mesh-Run-Id`. Throws `malformed_request` for an invalid id. */
export function parseRunHeader(value: string | undefined): string | undefined {
  if (value === undefined || RUN_ID.test(value)) return value
  throw new Fail('malformed_request', 'X-Mesh-Run-Id must be a lowercase UUID.')
}
