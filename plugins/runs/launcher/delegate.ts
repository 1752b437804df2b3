import { mayDelegate } from '#schemas/names/delegates.ts'
import type { AgentName, Delegator } from '#schemas/names/delegates.ts'
import type { Static } from '#schemas/wire/schema.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { callState } from '#launcher/contract/state/call-state.ts'
import type { PathResponse } from '#schemas/wire/read-response.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'
import { createChildRun, readChildRun } from '../contract/wire.ts'
import type { ChildOutcome } from '../contract/wire.ts'

/** Options of `createDelegate`. */
export interface DelegateOptions {
  /** The state role, which creates runs for pods. */
  readonly state: StateClient
  readonly namespace: string
  readonly maxDepth: number
  /** `spec.delegates` of this agent. The state role enforces it; the check here only saves a request. */
  readonly delegates: Delegator['delegates']
  /** End of an active run of this agent. */
  readonly deadlineOf: (runId: string) => Date | undefined
}

/** A call to another agent. */
export interface Delegation {
  /** `name` or `namespace/name`. */
  readonly agent: string
  readonly input: unknown
  readonly mode: 'spawn' | 'handoff'
  readonly wait: boolean
  readonly timeoutMs: number
  readonly parentRunId?: string
  readonly conversationId?: string
  readonly traceparent: string
  readonly signal: AbortSignal
  /** Called when the run has been created. */
  readonly onCreated: (run: ChildOutcome) => void
}

/** The created run; `ended` is true if it contains its outcome. */
export interface DelegatedRun {
  readonly run: ChildOutcome
  readonly ended: boolean
}

/** Creates a run of another agent; waits for its end if `wait` is set. Throws `Refusal`. */
export type Delegate = (delegation: Delegation) => Promise<DelegatedRun>

/** Maximum seconds that one request waits for the end of a run. */
const longestWaitSeconds = 20

/** Creates the function that delegates by child runs of the state role. */
export function createDelegate(options: DelegateOptions): Delegate {
  return async (delegation) => {
    const target = toAgentName(delegation.agent, options.namespace)
    if (!mayDelegate(options, target))
      throw new Refusal(
        'delegate_not_allowed',
        `${target.namespace}/${target.name} is not among the delegates of this agent`,
      )
    const { state } = options
    const { traceparent, signal } = delegation
    const sent = { headers: { traceparent }, signal, timeoutMs: (longestWaitSeconds + 10) * 1000 }
    const body = toRequest(options, delegation)
    let run = toRun(await reached(callState(state, createChildRun, { ...sent, body }), signal))
    delegation.onCreated(run)
    if (!delegation.wait || delegation.mode === 'handoff') return { run, ended: false }
    const deadline = performance.now() + delegation.timeoutMs
    while (!isTerminal(run)) {
      const left = Math.floor((deadline - performance.now()) / 1000)
      if (left < 1) break
      const query = { wait: Math.min(left, longestWaitSeconds) }
      run = toRun(await reached(callState(state, readChildRun, { ...sent, params: { id: run.id }, query }), signal))
    }
    return { run, ended: isTerminal(run) }
  }
}

/** Parses `name` or `namespace/name`. */
export function toAgentName(agent: string, namespace: string): AgentName {
  const [first = '', second] = agent.split('/')
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second }
}

function isTerminal(run: ChildOutcome): boolean {
  return [...terminalStates].some((state) => state === run.state)
}

function toRequest(options: DelegateOptions, delegation: Delegation): Static<typeof createChildRun.request> {
  const { agent, input, mode, parentRunId, conversationId } = delegation
  const deadline = parentRunId === undefined ? undefined : options.deadlineOf(parentRunId)
  return {
    agent: toAgentName(agent, options.namespace),
    input,
    mode,
    maxDepth: options.maxDepth,
    ...(parentRunId === undefined ? {} : { parentRunId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(deadline === undefined ? {} : { deadline: deadline.toISOString() }),
  }
}

async function reached<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  return call.catch((error: unknown) => {
    if (signal.aborted) throw error
    throw new Refusal('delegation_failed', 'the state role cannot be reached')
  })
}

function toRun({ status, value, problem: { code, detail } }: PathResponse<ChildOutcome>): ChildOutcome {
  if (value !== undefined) return value
  const reason = detail?.slice(0, 500)
  if (code === 'depth_exceeded' || code === 'delegate_not_allowed') throw new Refusal(code, reason)
  if (status === 404) throw new Refusal('unknown_target', reason)
  if (status >= 400 && status < 500) throw new Refusal('delegation_refused', reason)
  throw new Refusal('delegation_failed')
}
