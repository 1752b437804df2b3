import type { Access, Caller } from '#core/cluster/caller.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { PatchOperation } from '#schemas/values/patch-operation.ts'
import type { AgentReferences } from './points.ts'

/** Description of an agent to generate. */
export interface GenerateRequest {
  readonly prompt: string
  /** Namespace of the agent, whose routes can be named; default `default`. */
  readonly namespace?: string
  /** ModelRoute to call, `name` or `namespace/name`; default: the setting `agents.generateRoute`. */
  readonly route?: string
  readonly signal: AbortSignal
}

/** Result of a model for a task. */
export interface GeneratedConfig {
  /** An agent in the simplified format, which was checked. */
  config: Record<string, unknown>
  explanation: string
  warnings: string[]
  /** All changes of a refined config (RFC 6902). */
  changes?: PatchOperation[]
}

/** Options of `create`. */
export interface CreateAgentOptions {
  /** Validates only. */
  readonly dryRun?: boolean
  readonly signal: AbortSignal
}

/** Agents for other plugins, in roles that serve callers. */
export interface AgentsApi {
  references(): AgentReferences
  /**
   * Creates an agent as the caller, as `POST /api/agents` does. `access` is the caller's review of `create agentdeployments` in its namespace. Throws
   * `invalid_body`, or the error of the cluster.
   */
  create(
    caller: Caller,
    access: Access<'create', 'agentdeployments'>,
    agent: AgentDeploymentObject,
    options: CreateAgentOptions,
  ): Promise<AgentDeploymentObject>
  /** Generates the config of an agent as `POST /api/agents/generate` does, with the caller's routes and budget. Stores nothing. */
  generate(caller: Caller, request: GenerateRequest): Promise<GeneratedConfig>
}
