import type { ChangeActorFinder } from '#core/controllers/objects/extension-points.ts'
import type { UnenforcedField } from '#core/plugin/enforced-fields.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import type { DocumentOwners } from '../authoring/create-authored.ts'
import type { ModelGateway } from '../generate/model-gateway.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import type {
  AgentEvalGate,
  AgentPromptSource,
  AgentTrigger,
  BudgetReader,
  EffectiveSource,
  RequirementCheck,
} from '../contract/points.ts'
import type { AgentParts } from '../reconcile/parts/collect-parts.ts'
import type { References } from '../references/references.ts'
import type { PublishFacts } from '../reconcile/facts/publish-facts.ts'
import type { ReconcileSettings } from '../contract/reconcile-settings.ts'

/** Services used by the routes. */
export interface AgentEndpointServices {
  now(): Date
  gateway: ModelGateway
  /** Default ModelRoute of generate and refine: `name` or `namespace/name`. */
  generateRoute: string
  /** Requirement checks of other plugins. Read per request, since `create` runs before they are contributed. */
  checks(): readonly RequirementCheck[]
  /** Owners of documents of agent files. Read per request, as `checks`. */
  documents: DocumentOwners
  /** Kinds of the installation, which references may point to. */
  kinds(): readonly AnyKind[]
  /** References between objects. Read per request, as `checks`. */
  references(): References
  /** Source of prompts; undefined without the plugin prompts. Read per request, as `checks`. */
  prompts(): AgentPromptSource | undefined
  /** Source of evaluations; undefined without the plugin evals. Read per request. */
  evalGate(): AgentEvalGate | undefined
  /** Undefined without the plugin runs. */
  runs: Pick<RunsApi, 'statsOfAgents'> | undefined
  /** Reads the money of budgets; undefined without the plugin budgets. Read per request, as `checks`. */
  budgetOf(): BudgetReader | undefined
  /** Rules of other plugins that apply to agents. Read per request, as `checks`. */
  effective(): readonly EffectiveSource[]
}

/** Services of the plugin. */
export interface AgentsServices extends AgentEndpointServices {
  reconcile: ReconcileSettings
  /** Publishes transitions of agents. Without a store it does nothing. */
  publish: PublishFacts
  /** Additions and gates of other plugins. */
  parts(): AgentParts
  /** Fields of agents whose plugin is not available. */
  unenforced(): readonly UnenforcedField[]
  /** Objects of other kinds whose change reconciles agents. */
  triggers(): readonly AgentTrigger[]
  /** Keys of the role: the state role certifies launchers. */
  keys: Keyring
  /** The authenticated actor of a change of an agent, if a plugin knows one. */
  findActor: ChangeActorFinder
}
