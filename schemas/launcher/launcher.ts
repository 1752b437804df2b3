/** Header of the preStop hook of an agent's container, and the launcher's variable with the token that it expects. */
export const HOOK_HEADER = 'x-mesh-hook'
export const HOOK_TOKEN_VARIABLE = 'MESH_HOOK_TOKEN'

/**
 * Configuration of a launcher: JSON in the mounted file at `MESH_AGENT_CONFIG`. References are resolved to values; routes are `namespace/name` or
 * names in the agent's namespace.
 */
export interface LauncherConfig {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  /** Only for declarative agents, whose loop the launcher runs itself. */
  readonly systemPrompt?: string
  /** Messages of a managed prompt, between the system prompt and those of a run. */
  readonly messages?: readonly PromptTurn[]
  readonly model?: {
    readonly route: string
    readonly fallbackRoutes?: readonly string[]
    /** Fields of each chat completion request under their wire names (`toRequestFields(params)`). */
    readonly requestFields?: Readonly<Record<string, unknown>>
  }
  readonly tools?: readonly LauncherTool[]
  readonly limits?: {
    readonly timeout?: string // a duration: 10m
    readonly maxSteps?: number
    readonly maxDelegationDepth?: number
    readonly concurrency?: number
  }
  /** Agents (`name` or `namespace/name`) that this agent may call; absent: agents of its namespace. The state role decides. */
  readonly delegates?: readonly string[]
  /** Parts of plugins, by plugin. */
  readonly plugins?: Readonly<Record<string, unknown>>
}

/** A tool of the built-in loop, with the name of its entry in the agent's spec. */
export interface LauncherTool {
  readonly name: string
  /** Tools of the entry whose calls require approval; `*` means all. */
  readonly requireApproval?: readonly string[]
}

/** Process 1 of a container of the launcher's image: Node as process 1 would leave zombies (M12). */
export const INIT_COMMAND: readonly string[] = ['/mesh/tini', '-g', '--']

/** A message of a managed prompt. */
export interface PromptTurn {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}
