/** State and control of the agent's process. */
export interface Supervision {
  /** True if the agent answers now. */
  readonly ready: () => Promise<boolean>
  /** True once the agent has been ready. */
  readonly started: () => boolean
  /** Restarts the agent's process; absent if it is not a child process. */
  readonly restart?: () => Promise<void>
  /** Resolves with the exit code when the agent's process ends by itself; absent if it is not a child process. */
  readonly exited?: () => Promise<number | undefined>
  /** Reports a refused connection: no run starts until the agent is ready again. Absent for a child process, whose exit is reported. */
  readonly lost?: () => void
  /** Reports that the kubelet is about to end the agent: no run starts until it answers again. Absent for a child process. */
  readonly ending?: () => void
  /** Response of the liveness probe of the agent's container; absent if it has none. */
  readonly alive?: () => boolean
}
