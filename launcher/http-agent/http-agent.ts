import { setTimeout as pause } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { collect, exchange } from '#core/http-client/request.ts'
import type { InvokeResult } from '#schemas/runs/run.ts'
import { untilAgentReady } from '../supervise/readiness.ts'
import { createReply } from './agent-reply.ts'
import { pausedIfWaiting } from '../runs/outcome.ts'
import { failed, stopped } from '../runs/run-context.ts'
import type { Agent, RunContext, StopReason } from '../runs/run-context.ts'

/** Options of `createHttpAgent`: port and control of the agent's process. */
export interface HttpAgentOptions {
  readonly port: number
  readonly dispatcher: () => Promise<Dispatcher>
  readonly cancelGraceMs: number
  /** Restarts the agent's process; resolves when the old one has ended. Absent if it cannot be restarted. */
  readonly restart?: () => Promise<void>
  /** Called if the agent refuses a connection. */
  readonly lost?: () => void
  /** The launcher counts the tokens of the agent's model calls: counts reported by the agent would be added a second time. */
  readonly usageIsMeasured?: boolean
  /** Resolves with the exit code when the agent's process ends by itself; absent if it is not a child process. */
  readonly exited?: () => Promise<number | undefined>
  /** Time that a run waits for an agent that refuses connections (30 s). */
  readonly awayMs?: number
}

const defaultAwayMs = 30_000
const exitKnownMs = 500

/**
 * An agent in its own process: `POST /invoke` on its port responds with JSON, an event stream or text. To stop a run, the
 * launcher sends `POST /cancel` with `{runId}` (2xx: the work has stopped) and restarts the process after the grace period:
 * only its end proves that the work has stopped.
 */
export function createHttpAgent(options: HttpAgentOptions): Agent {
  return {
    async run(context) {
      const hangUp = new AbortController()
      const work = invoke(options, context, hangUp.signal)
      const aborted = abortOf(context.signal)
      const first = await Promise.race([work, aborted.promise])
      aborted.release()
      if (first !== undefined) return pausedIfWaiting(context, first)
      // After an overflow the response is no longer read while the agent stops.
      const flooded = context.signal.reason === ('overflow' satisfies StopReason)
      if (flooded) hangUp.abort(new Error('stopped'))
      const over = await overWithin(options, context, flooded ? undefined : work)
      hangUp.abort(new Error('stopped'))
      const broken = await work
      if (!over) await options.restart?.()
      // The process ended: the error of its response has more details.
      if (over && context.signal.reason === ('crash' satisfies StopReason)) return broken
      return stopped(context.signal, context.usage())
    },
  }
}

async function invoke(options: HttpAgentOptions, context: RunContext, signal: AbortSignal): Promise<InvokeResult> {
  const reply = createReply(options.usageIsMeasured === true ? { ...context, report: () => undefined } : context)
  const { input, conversationId, context: given } = context.request
  const body = JSON.stringify({ input, conversationId, context: given })
  const send = async (): Promise<InvokeResult> => {
    await exchange(await options.dispatcher(), {
      ...target(options, context, '/invoke'),
      body,
      signal,
      onHead: reply.head,
      onData: reply.data,
    })
    return reply.end()
  }
  try {
    return await send().catch((error: unknown) => {
      if (!isUnconnected(error)) throw error
      return sendWhenBack(options, context, send)
    })
  } catch (error) {
    reply.cut()
    if (isUnconnected(error))
      return failed('agent_error', `the agent does not accept connections on port ${options.port}`, context.usage())
    return failed('agent_error', await describeBreak(options, context, error), context.usage())
  }
}

const closedCodes: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

async function describeBreak({ exited }: HttpAgentOptions, { signal }: RunContext, error: unknown): Promise<string> {
  const code = (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error))
  if (!closedCodes.has(code)) return `the agent's response broke off: ${code}`
  // The connection closes shortly before the exit of the process is reported.
  const isStopped = signal.aborted && signal.reason !== ('crash' satisfies StopReason)
  const exit = isStopped ? undefined : await Promise.race([exited?.(), pause(exitKnownMs, undefined, { ref: false })])
  const ended = exit === undefined ? '' : ` (its process ended with code ${exit})`
  return `the agent closed the connection before its response was complete${ended}; see its log`
}

// No request was sent, so a repeat is the first invocation (PODA8): the container of an ended agent is restarted.
async function sendWhenBack(
  options: HttpAgentOptions,
  context: RunContext,
  send: () => Promise<InvokeResult>,
): Promise<InvokeResult> {
  options.lost?.()
  const away = AbortSignal.timeout(options.awayMs ?? defaultAwayMs)
  await untilAgentReady(options.port, AbortSignal.any([context.signal, away]))
  context.signal.throwIfAborted()
  return send()
}

// A refused SYN (RFC 9293). Errors of open connections have other system calls.
function isUnconnected(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'connect'
}

// True if the agent confirmed the cancel, or answered the invocation within the grace period.
async function overWithin(
  options: HttpAgentOptions,
  context: RunContext,
  work: Promise<unknown> | undefined,
): Promise<boolean> {
  const deadline = AbortSignal.timeout(options.cancelGraceMs)
  const asked = askToCancel(options, context, deadline)
  const expired = abortOf(deadline)
  const answered = work?.then(() => true) ?? new Promise<never>(() => undefined)
  const over = await Promise.race([
    asked.then((accepted) => accepted || Promise.race([answered, expired.promise])),
    answered,
    expired.promise,
  ])
  expired.release()
  return over === true
}

async function askToCancel(options: HttpAgentOptions, context: RunContext, signal: AbortSignal): Promise<boolean> {
  try {
    const { status } = await collect(await options.dispatcher(), {
      ...target(options, context, '/cancel'),
      body: JSON.stringify({ runId: context.runId }),
      signal,
      maxBytes: 64 * 1024,
    })
    return status >= 200 && status < 300
  } catch {
    return false
  }
}

function target(options: HttpAgentOptions, context: RunContext, path: string) {
  return {
    origin: `http://127.0.0.1:${options.port}`,
    path,
    method: 'POST' as const,
    // An agent closes idle connections at any time, and whether it has read a request that arrives then is unknown (PODA29).
    reset: true,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      traceparent: context.span.traceparent,
      'x-mesh-run-id': context.runId,
    },
  }
}

function abortOf(signal: AbortSignal): { promise: Promise<undefined>; release(): void } {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const onAbort = (): void => resolve(undefined)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  return { promise, release: () => signal.removeEventListener('abort', onAbort) }
}
