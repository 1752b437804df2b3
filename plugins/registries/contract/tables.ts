/**
 * Calls of five minutes with about the same duration; only the projection adds to it. `ModelRoute`: model calls of an agent on a route, and the
 * provider that answered. `AgentDeployment`: runs of an agent that another agent started.
 */
export interface CallRow {
  slot: Date
  /** Agent that calls a route, or that is called by `target`. */
  agent_uid: string
  kind: 'ModelRoute' | 'AgentDeployment'
  /** `namespace/name` of the route, or of the calling agent. */
  target: string
  /** `namespace/name`; empty for runs. */
  provider: string
  /** Number of the bucket of the duration; -1 without a duration. */
  bucket: number
  calls: bigint
  failed: bigint
}

/** Tables of the plugin. */
export type RegistriesTables = { registries_calls: CallRow }
