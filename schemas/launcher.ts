/**
 * What a launcher is told of its agent: JSON in the file that `MESH_AGENT_CONFIG` names, mounted for the launcher.
 * Everything is resolved: references are values, routes are `namespace/name` or names in the agent's namespace.
 */
export interface LauncherConfig {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  /** Only for declarative agents, whose loop the launcher runs itself. */
  readonly systemPrompt?: string
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
  /** Agents (`name` or `namespace/name`) that this one may call; absent: those of its namespace. The state role decides. */
  readonly delegates?: readonly string[]
}

/** A tool of the built-in loop, by the name of its entry in the agent's spec. */
export interface LauncherTool {
  readonly name: string
  /** Tools of the entry whose calls wait for a person; `*` is every one. */
  readonly requireApproval?: readonly string[]
}

/**
 * Body of `POST {STATE_URL}/runs`, with the launcher's service account token (audience `state`): a run born in a pod.
 * Answer: 201 `StateRun`. The state role finds the parent's subject and depth in its own rows and refuses what they forbid.
 */
export interface StateRunRequest {
  readonly agent: { readonly namespace: string; readonly name: string }
  readonly input: unknown
  readonly mode: 'spawn' | 'handoff'
  /** The run on whose behalf the call is made; absent: the agent itself. */
  readonly parentRunId?: string
  readonly conversationId?: string
  readonly maxDepth: number
}

/** Answer of `GET {STATE_URL}/runs/{id}?wait=<seconds>`, which waits for the end of the run at most so long. */
export interface StateRun {
  readonly id: string
  readonly state: string
  readonly output?: unknown
  readonly error?: { readonly code: string; readonly message: string } | null
}

/** Process 1 of a container of the launcher's image: Node as process 1 would leave zombies (M12). */
export const INIT_COMMAND: readonly string[] = ['/mesh/tini', '-g', '--']
