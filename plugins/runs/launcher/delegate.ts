import { readFile } from 'node:fs/promises'
import type { Dispatcher } from 'undici'
import { isObject } from '#core/json/is-object.ts'
import { collect } from '#core/http-client/request.ts'
import { mayDelegate } from '#schemas/names/delegates.ts'
import type { AgentName, Delegator } from '#schemas/names/delegates.ts'
import type { StateRun, StateRunRequest } from '#schemas/launcher/launcher.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'

/** Options of `createDelegate`: the state role, which creates runs for pods. */
export interface DelegateOptions {
  readonly stateUrl: string
  readonly tokenFile: string | undefined
  readonly namespace: string
  readonly maxDepth: number
  /** `spec.delegates` of this agent. The state role enforces it; the check here only saves a request. */
  readonly delegates: Delegator['delegates']
  /** End of an active run of this agent. */
  readonly deadlineOf: (runId: string) => Date | undefined
  readonly dispatcher: () => Promise<Dispatcher>
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
  readonly onCreated: (run: StateRun) => void
}

/** The created run; `ended` is true if it contains its outcome. */
export interface Delegated {
  readonly run: StateRun
  readonly ended: boolean
}

/** Creates a run of another agent; waits for its end if `wait` is set. Throws `Refusal`. */
export type Delegate = (delegation: Delegation) => Promise<Delegated>

const longestWaitSeconds = 20

/** Delegates by `POST {STATE_URL}/runs` of the state role (schemas/launcher/launcher.ts). */
export function createDelegate(options: DelegateOptions): Delegate {
  return async (delegation) => {
    const target = toAgentName(delegation.agent, options.namespace)
    if (!mayDelegate(options, target))
      throw new Refusal(
        'delegate_not_allowed',
        `${target.namespace}/${target.name} is not among the delegates of this agent`,
      )
    let run = await call(options, delegation, { path: '/runs', body: toRequest(options, delegation) })
    delegation.onCreated(run)
    if (!delegation.wait || delegation.mode === 'handoff') return { run, ended: false }
    const deadline = performance.now() + delegation.timeoutMs
    while (!isTerminal(run)) {
      const left = Math.floor((deadline - performance.now()) / 1000)
      if (left < 1) break
      const seconds = Math.min(left, longestWaitSeconds)
      run = await call(options, delegation, { path: `/runs/${encodeURIComponent(run.id)}?wait=${seconds}` })
    }
    return { run, ended: isTerminal(run) }
  }
}

/** Parses `name` or `namespace/name`. */
export function toAgentName(agent: string, namespace: string): AgentName {
  const [first = '', second] = agent.split('/')
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second }
}

function isTerminal(run: StateRun): boolean {
  return [...terminalStates].some((state) => state === run.state)
}

function toRequest(options: DelegateOptions, delegation: Delegation): StateRunRequest {
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

async function call(
  options: DelegateOptions,
  { traceparent, signal }: Delegation,
  { path, body }: { path: string; body?: StateRunRequest },
): Promise<StateRun> {
  const url = new URL(`${options.stateUrl}${path}`)
  const token = options.tokenFile === undefined ? undefined : (await readFile(options.tokenFile, 'utf8')).trim()
  const answer = await collect(await options.dispatcher(), {
    origin: url.origin,
    path: url.pathname + url.search,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      traceparent,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.any([signal, AbortSignal.timeout((longestWaitSeconds + 10) * 1000)]),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error
    throw new Refusal('delegation_failed', 'the state role cannot be reached')
  })
  return toRun(answer.status, answer.body.toString('utf8'))
}

function toRun(status: number, text: string): StateRun {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  const reason = isObject(body) && typeof body.detail === 'string' ? body.detail.slice(0, 500) : undefined
  if (isObject(body) && body.code === 'depth_exceeded') throw new Refusal('depth_exceeded', reason)
  if (isObject(body) && body.code === 'delegate_not_allowed') throw new Refusal('delegate_not_allowed', reason)
  if (status === 404) throw new Refusal('unknown_target', reason)
  if (status >= 400 && status < 500) throw new Refusal('delegation_refused', reason)
  if (status >= 300 || !isObject(body) || typeof body.id !== 'string' || typeof body.state !== 'string')
    throw new Refusal('delegation_failed')
  return { ...body, id: body.id, state: body.state }
}
