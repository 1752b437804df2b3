import type { Logger } from '#core/log/logger.ts'
import { tellAgentLog } from './agent-output.ts'
import { startAgentProcess } from './agent-process.ts'
import type { AgentCommand, AgentProcess } from './agent-process.ts'
import { isAgentReady, untilAgentReady, warnWhenLate } from './readiness.ts'

/** The agent's process, across restarts after cancelled runs. */
export interface Supervisor {
  ready(): Promise<boolean>
  started(): boolean
  /** Restarts the process; concurrent calls share one restart. */
  restart(): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** Resolves with the exit code when the process ends by itself. */
  readonly crashed: Promise<number>
  /** Ends the process without a restart; resolves with its exit code. */
  end(graceMs: number): Promise<number>
}

const killGraceMs = 2000

/** Starts and supervises the agent. Logs a warning if the agent does not answer within `lateMs`. The agent's log contains the reason, too. */
export function superviseProcess(command: AgentCommand, port: number, log: Logger, lateMs?: number): Supervisor {
  const { promise: crashed, resolve: crash } = Promise.withResolvers<number>()
  const stop = new AbortController()
  let ending = false
  let over = false
  let started = false
  let restarting: Promise<void> | undefined
  const tell = (line: string): void => tellAgentLog(command.outputFd, line)
  const start = (): AgentProcess => {
    const process = startAgentProcess(command)
    if (process.pid !== undefined) log.info({ pid: process.pid }, 'agent started')
    // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
    void watchExit(process)
    return process
  }
  const watchExit = async (process: AgentProcess): Promise<void> => {
    const code = await process.exited
    if (process.pid === undefined) log.error({ code }, startFailure(command, code))
    else log.info({ pid: process.pid, code }, 'agent ended')
    if (process !== agent || ending) return
    tell(process.pid === undefined ? startFailure(command, code) : `the agent ended with exit code ${code}`)
    over = true
    crash(code)
  }
  const becomeReady = async (): Promise<void> => {
    const answered = warnWhenLate(port, log, { lateMs, tell })
    started = await untilAgentReady(port, stop.signal)
    answered()
    if (started) log.info({ port }, 'agent ready')
  }
  const restart = async (): Promise<void> => {
    log.warn({ pid: agent.pid }, 'restarting the agent')
    tell('restarting the agent: it did not stop after a cancelled run')
    const old = agent
    ending = true
    started = false
    await old.end(killGraceMs)
    ending = false
    if (stop.signal.aborted) return
    agent = start()
    // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
    void becomeReady()
  }
  let agent = start()
  // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
  void becomeReady()

  return {
    ready: async () => started && agent.running() && (await isAgentReady(port)),
    started: () => started,
    restart() {
      if (over || stop.signal.aborted) return Promise.resolve()
      restarting ??= restart().finally(() => (restarting = undefined))
      return restarting
    },
    signal: (signal) => {
      agent.signal(signal)
    },
    crashed,
    async end(graceMs) {
      stop.abort()
      ending = true
      await restarting
      ending = true
      return agent.end(graceMs)
    },
  }
}

// Exit codes of a shell: 127 if the program does not exist.
function startFailure({ command: [program = ''] }: AgentCommand, code: number): string {
  return code === 127 ? `program ${program} not found` : `program ${program} cannot be executed`
}
