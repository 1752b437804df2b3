import type { LauncherConfig, LauncherTool } from '#schemas/launcher/launcher.ts'

/** Parsed configuration of the agent: with defaults, durations in milliseconds. */
export interface AgentConfig extends Omit<LauncherConfig, 'limits' | 'tools' | 'delegates' | 'plugins'> {
  readonly tools: readonly LauncherTool[]
  readonly delegates: readonly string[] | undefined
  /** Configuration by plugins, validated by the parts of the launcher that read it. */
  readonly plugins: Readonly<Record<string, unknown>>
  /** Number of the revision, for runs and traces; not in the file, since a change of the file replaces pods. */
  readonly revision?: number
  /** A gate holds the revision: only runs that name it are taken. */
  readonly isCandidate?: boolean
  readonly limits: Readonly<Record<'timeoutMs' | 'maxSteps' | 'maxDelegationDepth' | 'concurrency', number>>
}

/** Thrown for an invalid configuration; the message names the field or variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
