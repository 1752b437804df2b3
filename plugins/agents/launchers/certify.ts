import { createTtlCache } from '#core/async/ttl-cache.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import type { UserInfo } from '#core/cluster/caller.ts'
import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import { LAUNCHER_KEY, signCertificate } from '#core/signing/launcher-certificate.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import type { AgentName } from '#schemas/names/delegates.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { findNamedObject } from '#core/kube/find-named-object.ts'

/** Certifies a public key (base64url) for the calling launcher. */
export type CertifyLauncher = (
  agent: Pick<CallingAgent, keyof AgentName | 'uid' | 'account'>,
  x: string,
) => Promise<string>

/** Dependencies of certification. */
export interface CertifyServices {
  readonly cluster: Pick<KubeClient, 'get'>
  readonly keys: Pick<Keyring, 'current'>
  readonly now: () => Date
  /** Cache TTL of an agent's account in milliseconds (5 s). */
  readonly ttlMs?: number
}

const ACCOUNT_TTL_MS = 5_000
const POD_UID = 'authentication.kubernetes.io/pod-uid'

const serviceAccounts: Resource = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
}

/**
 * Certifies launchers of agents. The token must be bound to a pod, and its account must be the one that the manager created for the existing agent.
 * The name of an account proves nothing: any caller with rights on accounts can create one. Throws `forbidden`.
 */
export function createCertifyLauncher({
  cluster,
  keys,
  now,
  ttlMs = ACCOUNT_TTL_MS,
}: CertifyServices): CertifyLauncher {
  const owners = createTtlCache<string | undefined>(ttlMs)
  return async (agent, x) => {
    const { account, uid: agentUid } = agent
    const podUid = podOf(account)
    if (podUid === undefined) throw new Fail('forbidden', 'The token is not bound to a pod.')
    // Keyed by the uid of the account: a re-created account is read immediately.
    const owner = await owners(`${account.uid} ${account.username}`, () => ownerOf(cluster, agent, account.uid))
    if (owner !== agentUid) throw new Fail('forbidden', 'The service account does not belong to an agent.')
    return signCertificate(keys.current(LAUNCHER_KEY), { agentUid, podUid, x }, now())
  }
}

// The API server sets it for tokens bound to a pod only; a TokenRequest without a pod has none.
function podOf({ extra }: UserInfo): string | undefined {
  const [uid, ...rest] = extra[POD_UID] ?? []
  return rest.length === 0 && uid !== '' ? uid : undefined
}

/** Returns the uid of the agent that controls the account. Undefined if the account has another uid or no such controller. */
async function ownerOf(
  cluster: Pick<KubeClient, 'get'>,
  { namespace, name }: AgentName,
  accountUid: string,
): Promise<string | undefined> {
  const account = await findNamedObject<KubeObject>(cluster, serviceAccounts, { namespace, name })
  return account?.metadata.uid === accountUid ? controllerOf(account) : undefined
}

function controllerOf({ metadata }: KubeObject): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  const isAgent = owner?.kind === AgentDeployment.kind && owner.apiVersion.split('/')[0] === AgentDeployment.group
  return isAgent ? owner.uid : undefined
}
