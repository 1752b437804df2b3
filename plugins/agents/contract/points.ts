import type { Access, Caller } from '#core/cluster/caller.ts'
import { definePoint } from '#core/jobs/extension-point.ts'
import type { EventType } from '#core/event-store/event.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { KubeClient, KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import type { Requirement } from '#schemas/api/agent-authoring.ts'
import type { EffectiveGuardrail, EffectiveQuota } from '#schemas/api/effective-rules.ts'
import type { Spending } from '#schemas/api/tenants.ts'
import type {
  AgentDeploymentObject,
  AgentDeploymentSpec,
  AgentDeploymentStatus,
} from '#schemas/crds/agent-deployment.ts'
import type { ModelParams } from '#schemas/kinds/model-params.ts'
import type { Condition, TypedObject } from '#schemas/kinds/object.ts'
import type { Reference } from '#schemas/kinds/references.ts'
import type { PromptTurn } from '#schemas/launcher/launcher.ts'

/** Reports requirements of an agent beyond its references, with the caller's rights. */
export type RequirementCheck = (
  agent: AgentDeploymentObject,
  caller: Caller,
  signal: AbortSignal,
) => Promise<readonly Requirement[]>

/** Further requirement checks of other plugins. */
export const agentRequirement = definePoint<RequirementCheck>('agents.requirement')

type Pod = NonNullable<AgentDeploymentSpec['pod']>
type Variables = NonNullable<NonNullable<AgentDeploymentSpec['runtime']>['env']>

/** A port of the launcher that a plugin opens, not the spec. */
export type AddedPort = 'feedback' | 'otlpGrpc' | 'otlpHttp'

/** Additions of a plugin to the pods of an agent. Every name may be set once: by the spec, the platform or one plugin. */
export interface PodAddition {
  /** Variables of the agent's process. A declarative agent has no process, so it gets none. */
  readonly env?: Variables
  /** Configuration of the launcher, below `plugins.<plugin>` of its file. */
  readonly launcher?: Readonly<Record<string, unknown>>
  /**
   * The launcher serves the agent's model calls: the agent gets the address of port 2996 instead of the gateway's, and no token for the
   * gateway. One part that sets it suffices.
   */
  readonly modelProxy?: true
  /** Ports that the launcher serves for the plugin. Launcher and agent get the variable of each; a declarative agent has no process. */
  readonly ports?: readonly AddedPort[]
  readonly sidecars?: readonly PodSidecar[]
  /** Volumes and mounts of the agent's process, by the rules of `spec.pod`. */
  readonly volumes?: NonNullable<Pod['volumes']>
  readonly volumeMounts?: NonNullable<Pod['volumeMounts']>
  /** A condition of the agent's status, of a type of the plugin. */
  readonly condition?: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>
}

/** A container that starts before the agent and ends after it, restricted like the agent's. */
export interface PodSidecar {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: Variables
  readonly resources?: NonNullable<AgentDeploymentSpec['resources']>
  readonly volumeMounts?: NonNullable<Pod['volumeMounts']>
}

/**
 * Returns the plugin's additions to the pods of an agent, or undefined. Called in each reconciliation, with the manager's identity. A changed result
 * replaces the pods, so it may only depend on the agent and on objects, never on time.
 */
export type PodPart = (agent: AgentDeploymentObject, cluster: KubeClient) => Promise<PodAddition | undefined>

/**
 * Returns the agents to reconcile when an object of another kind changes that agents do not reference but whose state pod additions depend on. Called
 * for each object of the first list, and for each change.
 */
export interface AgentTrigger {
  readonly name: string
  readonly resource: Resource
  agentsOf(object: KubeObject, cluster: KubeClient, change: 'present' | 'deleted'): Promise<readonly ObjectRef[]>
}

/** Point for objects of other kinds whose change concerns agents. */
export const agentTrigger = definePoint<AgentTrigger>('agents.trigger', ({ name }) => name)

/** Point for additions to the pods of agents. */
export const agentPodPart = definePoint<PodPart>('agents.pod-part')

/**
 * Marks a field of a kind as a reference, as `x-mesh-ref` in its schema does. For fields that a plugin does not declare itself; those of
 * its own kinds are marked in their schemas. The value is `name` or `namespace/name`, or an object with `name` and `namespace`.
 */
export interface ReferenceMark {
  /** Kind of the referring objects, such as `AgentDeployment`. */
  readonly from: string
  /** The field: a path of the spec (`tools[].name`), or the key of an annotation or a label. */
  readonly at: { readonly field: string } | { readonly annotation: string } | { readonly label: string }
  /** Kind of the target: a kind of the installation, Secret or ConfigMap. */
  readonly to: string
}

/** Point for references that no schema marks. Each field is marked once. */
export const agentReference = definePoint<ReferenceMark>(
  'agents.reference',
  ({ from, at }) => `${from} ${'field' in at ? `spec.${at.field}` : Object.values(at).join('')}`,
)

/** Reads references of objects: those that schemas mark, and those of the point. API of `agents`. */
export interface AgentReferences {
  /** Collects references and links; links do not hold back a revision. */
  collectShown(kind: AnyKind, object: TypedObject): Reference[]
}

/** Why a revision is held back. */
export interface GateHold {
  /** Type of the condition in the agent's status; default `Gated`. */
  readonly condition?: string
  readonly reason: string
  readonly message: string
  /**
   * Runs the revision meanwhile, as a workload of its own that no Service selects: `status.candidate` of the agent. Only runs that name the revision
   * reach it. It runs only if each gate that holds the revision sets this.
   */
  readonly candidate?: true
}

/** A revision that would be rolled out, or started if the agent does not run yet. */
export interface GateCandidate {
  readonly agent: AgentDeploymentObject
  readonly revision: string
  /** The revision that the workload runs; undefined before the first one. */
  readonly deployed: string | undefined
}

/**
 * Returns why a revision is held back, or undefined to let it pass. Called in each reconciliation while the revision is not deployed, at least every
 * 15 seconds. The running workload is unchanged meanwhile.
 */
export type AgentGate = (candidate: GateCandidate, cluster: KubeClient) => Promise<GateHold | undefined>

/** Point for gates before the roll-out of a revision. */
export const agentGate = definePoint<AgentGate>('agents.gate')

/** The number of replicas that a plugin proposes for an agent, from 0 to 1000. */
export interface ReplicasProposal {
  readonly replicas: number
  /** Bounds of the plugin; `spec.scaling.minReplicas` and `maxReplicas` of the agent narrow them. */
  readonly min?: number
  readonly max?: number
  /** Reason of the condition `Scaled`, such as `RunsWaiting`. */
  readonly reason: string
  readonly message?: string
}

/**
 * Returns the number of replicas of a service, or undefined for an agent that the plugin does not scale. Called in each reconciliation; a plugin
 * whose number changes without the agent contributes to `agents.trigger` too. `spec.scaling.replicas` and a HorizontalPodAutoscaler take precedence,
 * and if two plugins propose a number, none applies.
 */
export type AgentReplicas = (agent: AgentDeploymentObject, cluster: KubeClient) => Promise<ReplicasProposal | undefined>

/** Point for the owner of the number of replicas. */
export const agentReplicas = definePoint<AgentReplicas>('agents.replicas')

/** A document of an agent file that is not an object of the cluster, such as a PromptVersion. */
export interface AgentDocument {
  readonly kind: string
  /** Namespace of the agent. */
  readonly namespace: DnsLabel
  readonly name: string
  readonly spec: Readonly<Record<string, unknown>>
}

/** Stores the documents of agent files that have one kind, and are not objects of the cluster. */
export interface AgentDocumentOwner {
  /** Kind of the documents, such as `PromptVersion`. */
  readonly kind: string
  /**
   * Stores a document as the caller, before its agent is created: the plugin reviews the access. Must be idempotent for equal content, since the
   * creation of the agent may fail and be repeated. With `dryRun` it validates only.
   */
  create(
    caller: Caller,
    document: AgentDocument,
    options: { readonly dryRun: boolean; readonly signal: AbortSignal },
  ): Promise<void>
}

/** Point for owners of documents of agent files, one for each kind. */
export const agentDocument = definePoint<AgentDocumentOwner>('agents.document', ({ kind }) => kind)

/** Reads the money of an agent's budget in its current window. `access` proves `list costs` in its namespace. */
export type BudgetReader = (access: Access<'list', 'costs'>, agent: AgentDeploymentObject) => Promise<Spending | null>

/** Point for the money of budgets, which one plugin counts. */
export const agentBudget = definePoint<BudgetReader>('agents.budget', () => 'budget')

/** Rules of a plugin that apply to an agent, as far as the caller may read them. */
export interface EffectivePart {
  readonly guardrails?: readonly EffectiveGuardrail[]
  /** False if the caller may not list the policies of the namespace. */
  readonly namespaceGuardrails?: boolean
  readonly quotas?: readonly EffectiveQuota[]
}

/** Reads the rules of a plugin that apply to an agent, as the caller. */
export type EffectiveSource = (
  agent: AgentDeploymentObject,
  caller: Caller,
  signal: AbortSignal,
) => Promise<EffectivePart>

/** Point for rules that apply to agents. */
export const agentEffective = definePoint<EffectiveSource>('agents.effective')

/** The version of a prompt that an agent refers to, as it was at a reconciliation. It is stored with the revision: another one is another revision. */
export interface ResolvedPrompt {
  readonly name: string
  readonly version: number
  /** Label by which it was found. */
  readonly label?: string
  /** Digest of its content, before variables were replaced. */
  readonly digest: string
  readonly systemPrompt?: string
  /** Messages between the system prompt and those of a run. */
  readonly messages?: readonly PromptTurn[]
  /** Parameters of model calls, where the agent sets none. */
  readonly params?: ModelParams
}

/** Resolves `spec.prompt` of agents, whose prompts are no objects of the cluster. */
export interface AgentPromptSource {
  /** Called in each reconciliation of an agent with a prompt, never for a run. A condition of the agent says why a prompt was not found. */
  resolve(agent: AgentDeploymentObject): Promise<ResolvedPrompt | Pick<Condition, 'reason' | 'message'>>
  /** Who chose the version that `spec.prompt` finds: who moved its label last, or without one the author of the version. */
  authorOf(agent: AgentDeploymentObject): Promise<string | undefined>
  /** Whether a prompt exists; null if the caller may not read it. */
  find(caller: Caller, target: Pick<Reference, 'namespace' | 'name'>): Promise<boolean | null>
  /** Events about a prompt, their subject, that reconcile the agents which refer to it. */
  readonly events: readonly EventType[]
}

/** Point for the source of prompts, of which there is one. */
export const agentPrompt = definePoint<AgentPromptSource>('agents.prompt', () => 'prompt')

/** A person let a revision serve although it had not passed. */
export interface GateOverrideMark {
  readonly by: string
  readonly at: string
  readonly reason: string
}

/** What evaluations know of the revisions of an agent with `spec.evalGate`. */
export interface AgentEvalGate {
  /** For `status.evalGate`: called in each reconciliation of such an agent, with the name of its newest revision. */
  statusOf(
    agent: AgentDeploymentObject,
    revision: string,
    cluster: KubeClient,
  ): Promise<AgentDeploymentStatus['evalGate']>
  /** Overrides of an agent by the name of the revision, for its versions; none if the caller may not see them. */
  overridesOf(caller: Caller, agent: AgentDeploymentObject): Promise<ReadonlyMap<string, GateOverrideMark>>
}

/** Point for evaluations, of which there is one source. */
export const agentEvalGate = definePoint<AgentEvalGate>('agents.eval-gate', () => 'eval-gate')
