import { constants } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { catchFatalErrors } from '#core/log/fatal-errors.ts'
import type { Logger } from '#core/log/logger.ts'
import { startLauncher } from './launcher.ts'
import type { Launcher } from './launcher.ts'
import { EXIT_PORT_TAKEN } from '#schemas/launcher/launcher-ports.ts'
import type { ThreadData } from './contract/thread.ts'
import { ConfigError } from './contract/settings/agent-config.ts'
import { readSettings, shutdownReserveMs } from './settings/settings.ts'
import type { Settings } from './contract/settings/settings.ts'
import { tellAgentLog } from './supervise/agent-output.ts'
import { watchParentPipe } from './supervise/parent-pipe.ts'
import { watchAgent } from './supervise/readiness.ts'
import { createSeparateAgent } from './supervise/separate-agent.ts'
import type { SeparateAgent } from './supervise/separate-agent.ts'
import { superviseProcess } from './supervise/supervisor.ts'
import type { Supervision } from './supervise/supervision.ts'
import type { Supervisor } from './supervise/supervisor.ts'
import { createLog } from './telemetry/log.ts'

/** Exit code for an invalid configuration (sysexits.h, EX_CONFIG). */
const exitConfig = 78

/** Exit code after an error that no code handles. */
const exitFatal = 128 + constants.signals.SIGABRT

/** Time for workers to read results after the agent has ended. */
const crashGraceMs = 5000

/**
 * A worker with a ticket is about to invoke. A refusal lets it use another launcher; a closed connection would leave unknown
 * whether the agent has the run (PODA18).
 */
const lateInvokeMs = 1000

/** The same for a launcher that ends: a worker has chosen it, and does not know yet. */
const lateDrainMs = 250
const agentTermMs = 3000

/** Limit of a shutdown after the parent has ended; the process group guard then ends the agent. */
const orphanedMs = 3000
const orphanedTermMs = 1000

// Signals that are forwarded to the agent (P2). TERM and INT start the drain instead; CHLD, PIPE and the terminal's stop signals are ignored.
const forwarded = [
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGWINCH',
  'SIGCONT',
  'SIGALRM',
  'SIGURG',
  'SIGIO',
] as const

/** Runs the launcher until the agent or the pod ends; exits with the agent's code, or 128 + signal. */
async function main(): Promise<void> {
  // The reader of the log may end before this process has ended its agent: EPIPE must not end it first.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const settings = readSettings(process.argv.slice(2), process.env)
  const log = createLog(settings.logLevel, { launcher: settings.agent.name })
  const fatal = catchFatalErrors({ launcher: settings.agent.name })
  const orphaned = settings.parentPipeFd === undefined ? undefined : parentGone(settings.parentPipeFd, log)
  const agent: { process?: Supervisor } = {}
  const separate = settings.separate ? createSeparateAgent(settings.agentPort, log) : undefined
  const launcher = await Promise.race([
    startLauncher(settings, log, supervision(settings, log, { agent, separate })),
    fatal.then(() => Promise.reject(new Error('unhandled error during the start'))),
  ])
  // After the listeners are bound: an agent that starts earlier could take a port of the launcher.
  if (settings.command.length > 0) agent.process = supervise(settings, log)
  endWithSignals(settings, log, launcher, { supervisor: agent.process, fatal })
  // oxlint-disable-next-line typescript/no-floating-promises -- the process ends with it
  void orphaned?.then(() => endOrphaned(launcher, agent.process))
}

function supervision(
  settings: Settings,
  log: Logger,
  { agent, separate }: { agent: { readonly process?: Supervisor }; separate: SeparateAgent | undefined },
): Supervision {
  if (separate !== undefined) {
    const watched = watchAgent(settings.agentPort, new AbortController().signal, log)
    return {
      ...separate,
      started: () => separate.alive() && watched.started(),
      lost: watched.lost,
      // At the end of the grace period the kubelet kills the remaining processes.
      ending: () => watched.ending(settings.graceMs),
    }
  }
  if (settings.builtIn) return { ready: () => Promise.resolve(true), started: () => true }
  return {
    ready: async () => (await agent.process?.ready()) === true,
    started: () => agent.process?.started() === true,
    restart: async () => agent.process?.restart(),
    exited: async () => agent.process?.crashed,
  }
}

function supervise({ command, agentEnv, agentOutputFd, agentPort }: Settings, log: Logger): Supervisor {
  return superviseProcess({ command, env: agentEnv, outputFd: agentOutputFd }, agentPort, log)
}

interface Endings {
  readonly supervisor: Supervisor | undefined
  /** Resolves at the first error that no code handles. */
  readonly fatal: Promise<void>
}

function endWithSignals(settings: Settings, log: Logger, launcher: Launcher, { supervisor, fatal }: Endings): void {
  let ending = false
  const once = (end: () => Promise<number>): void => {
    if (ending) return
    ending = true
    end().then(
      (code) => process.exit(code),
      (error: unknown) => {
        log.error({ err: String(error) }, 'shutdown failed')
        process.exit(exitFatal)
      },
    )
  }
  for (const signal of forwarded) process.on(signal, () => supervisor?.signal(signal))
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      log.info({ signal }, 'shutting down')
      once(() => shutDown(launcher, supervisor, settings.graceMs - shutdownReserveMs))
    })
  // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
  void supervisor?.crashed.then((code) => once(() => endAfterCrash(launcher, code)))
  const endAfterFatal = (): void => {
    // State may be inconsistent: the grace period of the pod bounds a drain that hangs.
    process.exitCode = exitFatal
    setTimeout(() => process.exit(exitFatal), settings.graceMs).unref()
    once(() => shutDown(launcher, supervisor, settings.graceMs - shutdownReserveMs).then(() => exitFatal))
  }
  // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
  void fatal.then(endAfterFatal)
}

/** Resolves when the parent process has ended; this process then exits within `orphanedMs`. */
function parentGone(fd: number, log: Logger): Promise<void> {
  return new Promise((resolve) =>
    watchParentPipe(fd, () => {
      setTimeout(() => process.exit(128 + constants.signals.SIGHUP), orphanedMs)
      log.warn({}, 'parent pipe closed, shutting down')
      resolve()
    }),
  )
}

// Cuts short a shutdown with its full grace period: no worker is left to read results.
async function endOrphaned(launcher: Launcher, supervisor: Supervisor | undefined): Promise<void> {
  launcher.drain()
  const agentEnd = supervisor?.end(orphanedTermMs)
  await within(orphanedTermMs, launcher.registry.stopAll('shutdown'))
  const [code] = await Promise.all([agentEnd, within(orphanedTermMs, launcher.close())])
  process.exit(code ?? 0)
}

// P3: fails health, refuses new runs, waits for active runs, sends spans, then ends the agent.
async function shutDown(launcher: Launcher, supervisor: Supervisor | undefined, graceMs: number): Promise<number> {
  launcher.drain()
  const late = new Promise((resolve) => setTimeout(resolve, lateDrainMs))
  await within(graceMs, Promise.all([late, launcher.idle()]))
  const agentEnd = launcher.registry.active().length === 0 ? undefined : supervisor?.end(agentTermMs)
  await within(agentTermMs, launcher.registry.stopAll('shutdown'))
  await launcher.close()
  return (await (agentEnd ?? supervisor?.end(agentTermMs))) ?? 0
}

// P4: runs of a crashed agent fail by their closed connections; their workers get `crashGraceMs` to read the outcome.
async function endAfterCrash(launcher: Launcher, code: number): Promise<number> {
  launcher.drain()
  await launcher.registry.stopAll('crash')
  const late = new Promise((resolve) => setTimeout(resolve, lateInvokeMs))
  await Promise.all([late, within(crashGraceMs, launcher.registry.idle())])
  await launcher.close()
  return code
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => (timer = setTimeout(resolve, Math.max(ms, 0))))
  await Promise.race([work, late])
  clearTimeout(timer)
}

// This file is also the entry point of plugin threads: the launcher is one file.
if (parentPort === null) main().catch(endFailed)
else {
  const { runThread } = await import('./run-thread.ts')
  await runThread(workerData as ThreadData, parentPort)
}

function endFailed(error: unknown): never {
  const log = createLog('error')
  const fail = (fields: object, message: string): void => {
    log.error(fields, message)
    // The settings themselves may be invalid.
    tellAgentLog(Number(process.env['MESH_AGENT_OUTPUT_FD'] ?? 0), message)
  }
  if (error instanceof ConfigError) fail({}, `configuration: ${error.message}`)
  else if (isPortTaken(error))
    fail({ port: error.port }, `port ${error.port} of the launcher is in use by another process of the pod`)
  else fail({ err: error instanceof Error ? error.stack : String(error) }, 'launcher failed to start')
  return process.exit(exitCodeOf(error))
}

function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigError) return exitConfig
  return isPortTaken(error) ? EXIT_PORT_TAKEN : exitFatal
}

function isPortTaken(error: unknown): error is Error & { readonly port: number } {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}
