import { createFixtureMatcher } from '#plugins/recording/contract/format/match.ts'
import type { Divergence } from '#plugins/recording/contract/format/match.ts'
import type { MergedCall } from '#plugins/recording/contract/format/merge.ts'
import type { ShapeOptions } from '#plugins/recording/contract/format/request-shape.ts'
import { sequenceOf } from '#plugins/recording/contract/format/part-key.ts'
import { createRedactor } from '#core/guardrails/redactor.ts'
import { toStorableValue } from '#schemas/values/storable-text.ts'
import type { Fixture, FixtureResponse, FixtureRequest } from '#schemas/runs/fixture.ts'
import { describeNearest } from './nearest-call.ts'
import { toComparable, toComparableFixture } from './comparable-call.ts'

/** The recorded response to a call, or the reason for its absence. */
export type ReplayResponse =
  | Exclude<FixtureResponse, { kind: 'omitted' }>
  | { readonly kind: 'diverged'; readonly problem: string }

/** A tool with recorded calls. */
export interface RecordedTool {
  /** Name at its server. */
  readonly tool: string
  /** Names of the arguments of all of its calls. */
  readonly keys: readonly string[]
}

/** The replay of a recording. */
export interface Replay {
  /** Names of recorded models. */
  readonly models: readonly string[]
  /** Recorded tools by `namespace/name` of their server. */
  readonly servers: ReadonlyMap<string, readonly RecordedTool[]>
  /** Returns the response to a call. Calls are matched in the order of invocation. */
  answer(call: FixtureRequest): Promise<ReplayResponse>
  /** Differences, one line each, including calls that were not made. Names only, never values. */
  problems(): readonly string[]
}

const MAX_PROBLEMS = 100

/** Creates a replay. Throws `PolicyProblem` for a pattern of the recording that is not valid, and `RangeError` for calls nested too deeply. */
export function createReplay(fixture: Fixture, options: ShapeOptions = {}): Replay {
  const comparable = toComparableFixture(fixture)
  const matcher = createFixtureMatcher(comparable, options)
  // Requests are recorded without secrets, so secrets are removed before the hash is compared.
  const redactor = createRedactor(fixture.redact, { keepShape: true })
  const found: string[] = []
  const report = (problem: string): void => {
    if (found.length < MAX_PROBLEMS) found.push(problem)
  }
  const take = async (made: FixtureRequest): Promise<ReplayResponse> => {
    const request = await redactor.value(toStorableValue(made.request))
    const clean = toComparable({ channel: made.channel, request } as FixtureRequest)
    // The span of a request is the call's own, so its parent is unknown: the position decides.
    const { call, divergence } = matcher.take({ ...clean, parentSpanId: null })
    const problem = problemOf(divergence, call)
    if (problem !== undefined) {
      const isUnlike = divergence?.kind === 'different' || divergence?.kind === 'extra'
      const nearest = isUnlike ? describeNearest(comparable, clean, call) : undefined
      report(nearest === undefined ? problem : `${problem}; ${nearest}`)
    }
    if (call === undefined || call.answer.kind === 'omitted' || divergence?.kind === 'different')
      return { kind: 'diverged', problem: problem ?? 'no answer' }
    return call.answer
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    models: [...new Set(fixture.model.flatMap(({ request }) => modelOf(request.body)))],
    servers: toServers(comparable),
    answer(call) {
      const answer = last.then(() => take(call))
      last = answer.catch(() => undefined)
      return answer
    },
    problems: () => [...found, ...matcher.rest().map(describe)].slice(0, MAX_PROBLEMS),
  }
}

function problemOf(divergence: Divergence | undefined, call: MergedCall | undefined): string | undefined {
  if (divergence !== undefined) return describe(divergence)
  const answer = call?.answer
  if (call === undefined || answer?.kind !== 'omitted') return undefined
  return `${call.channel} call ${sequenceOf(call)}: its response is not recorded (${answer.reason})`
}

function describe({ kind, channel, sequence, differences }: Divergence): string {
  const shown = differences.slice(0, 20).map((difference) => JSON.stringify(difference.slice(0, 120)))
  return `${kind} ${channel} call${sequence === null ? '' : ` ${sequence}`}${shown.length === 0 ? '' : `: ${shown.join(', ')}`}`
}

function modelOf(body: Readonly<Record<string, unknown>> | null): readonly string[] {
  return typeof body?.model === 'string' ? [body.model] : []
}

function toServers({ tool: calls }: Fixture): ReadonlyMap<string, readonly RecordedTool[]> {
  const servers = new Map<string, Map<string, Set<string>>>()
  for (const { request } of calls) {
    const tools = servers.get(request.server) ?? new Map<string, Set<string>>()
    servers.set(request.server, tools)
    const keys = tools.get(request.tool) ?? new Set<string>()
    tools.set(request.tool, keys)
    for (const key of Object.keys(request.arguments ?? {})) keys.add(key)
  }
  const toTools = (tools: ReadonlyMap<string, ReadonlySet<string>>): readonly RecordedTool[] =>
    [...tools].map(([tool, keys]) => ({ tool, keys: [...keys] }))
  return new Map([...servers].map(([server, tools]) => [server, toTools(tools)]))
}
