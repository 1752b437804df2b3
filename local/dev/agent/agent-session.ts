import { sleep } from '#core/async/sleep.ts'
import type { ApiClient } from '#cli/contract/api-client.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { KubeError } from '#core/kube/status.ts'
import { plugins } from '#plugins/index.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { EXIT_PORT_TAKEN } from '#schemas/launcher/launcher-ports.ts'
import { applyLocal } from '../../cluster/bootstrap.ts'
import { modelObjects } from './model-objects.ts'
import type { ModelBackend } from './model-objects.ts'
import type { DevAgent } from './read-agent.ts'

/** What the session writes with, and what is added to the agent of the file. */
export interface AgentSession {
  readonly cluster: KubeClient
  readonly api: ApiClient
  readonly backend: ModelBackend
  /** Further objects that the agent refers to. */
  readonly objects: readonly KubeObject[]
  readonly isRecorded: boolean
}

const POLL_MS = 40
const READY_MS = 30_000
// Conditions that name what the agent refers to become true within moments.
const SETTLED_MS = 3_000

/**
 * Applies an agent before the roles start, so that the first reconcile finds it. One with a prompt waits for the API, which stores prompts. A
 * refusal is that of the next `applyAgent`.
 */
export async function applyEarly(session: Omit<AgentSession, 'api'>, one: DevAgent): Promise<void> {
  if (one.prompt === undefined) await applyObjects(session, one).catch(() => undefined)
}

/** Applies the agent with its prompt and the models that it names. Returns its generation. Throws `CliProblem` for an object that is refused. */
export async function applyAgent(session: AgentSession, { agent, prompt }: DevAgent): Promise<AgentDeploymentObject> {
  try {
    return await applyObjects(session, { agent, prompt }, session.api)
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    throw new CliProblem(`the agent is refused: ${toSafeText(error.message)}`, 'Correct the agent file.')
  }
}

async function applyObjects(
  { cluster, backend, objects, isRecorded }: Omit<AgentSession, 'api'>,
  { agent, prompt }: Pick<DevAgent, 'agent' | 'prompt'>,
  api?: ApiClient,
): Promise<AgentDeploymentObject> {
  const namespace = agent.metadata.namespace ?? 'default'
  for (const object of [...modelObjects(agent, backend), ...objects]) await applyLocal(cluster, object, plugins)
  if (prompt !== undefined && api !== undefined) await savePrompt(api, namespace, prompt)
  const spec = isRecorded ? { ...agent.spec, recording: {} } : agent.spec
  const object = { ...agent, metadata: { ...agent.metadata, namespace }, spec }
  return (await applyLocal(cluster, object, plugins)) as AgentDeploymentObject
}

// Content that the newest version has makes no other version.
async function savePrompt(api: ApiClient, namespace: string, { metadata, spec }: DevAgent['agent']): Promise<void> {
  await api.post(['promptversions'], { namespace, name: metadata.name, ...spec })
}

/** Removes an agent that the file names no longer. */
export async function removeAgent(cluster: KubeClient, agent: { namespace: string; name: string }): Promise<void> {
  const ref = { namespace: parseLabel('namespace', agent.namespace), name: parseName('name', agent.name) }
  await cluster.delete(AgentDeployment, ref, { propagation: 'Background' })
}

/** Waits until the applied agent serves. Throws `CliProblem` with the reason of its conditions. */
export async function untilReady(
  cluster: KubeClient,
  applied: AgentDeploymentObject,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = 'default', name, generation = 1 } = applied.metadata
  const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', name) }
  const began = performance.now()
  for (;;) {
    signal.throwIfAborted()
    const { status = {} } = await cluster.get<AgentDeploymentObject>(AgentDeployment, ref)
    const isObserved = (status.observedGeneration ?? 0) >= generation
    if (isObserved && serves(status)) return
    const waitedMs = performance.now() - began
    const problem = isObserved ? problemOf(status, waitedMs) : undefined
    if (problem !== undefined || waitedMs > READY_MS)
      throw new CliProblem(
        `agent ${namespace}/${name} is not ready: ${problem ?? 'it did not start within 30 s'}`,
        'Correct what is named, or see its output with --data DIR in DIR/workloads.',
      )
    await sleep(POLL_MS, signal)
  }
}

type Status = NonNullable<AgentDeploymentObject['status']>

function serves({ conditions = [], currentRevision, latestSuccessfulRevision, candidateRevision }: Status): boolean {
  const isNewest = candidateRevision === undefined && latestSuccessfulRevision === currentRevision
  return isNewest && conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
}

const fatalReasons = new Set(['ImageNeedsContainerRuntime', 'CreateContainerConfigError'])

function problemOf({ conditions = [] }: Status, waitedMs: number): string | undefined {
  const failed = conditions.filter(({ status }) => status === 'False')
  const fault =
    failed.find(({ type }) => type === 'Accepted') ??
    failed.find(({ type }) => waitedMs > SETTLED_MS && type === 'ResolvedRefs') ??
    failed.find(({ reason }) => fatalReasons.has(reason)) ??
    failed.find((one) => waitedMs > SETTLED_MS && one.reason === 'CrashLoopBackOff' && !tookPort(one))
  return fault === undefined ? undefined : `${fault.reason}: ${toSafeText(fault.message)}`
}

// Another session took a port in between: the next start gets other ports.
function tookPort({ message }: { readonly message: string }): boolean {
  return message.includes(` exited with code ${EXIT_PORT_TAKEN}`)
}
