import type { PodAddition, PodPart } from '#plugins/agents/contract/points.ts'
import type { LauncherTraces } from '#schemas/launcher/traces.ts'
import type { TracesSettings } from './contract/settings.ts'
import { findPatternProblem, toAppliedPolicy } from './spans/trace-policy.ts'

/** Gives launchers the trace policy of their agent, and agents with a process the OTLP ports of their launcher. */
export function tracesPodPart({ adapter, exportContent }: Pick<TracesSettings, 'adapter' | 'exportContent'>): PodPart {
  return async ({ spec: { image, runtime, tracePolicy } }) => {
    const hasProcess = image !== undefined || runtime?.command !== undefined
    const problem = findPatternProblem(tracePolicy?.redact)
    const applied = toAppliedPolicy(tracePolicy)
    // Content that cannot be redacted is not captured.
    const policy = problem === undefined ? applied : ({ ...applied, capture: 'none', redact: [] } as const)
    const isFull = policy.capture === 'full'
    const exported = isFull && exportContent ? { exportContent } : {}
    const launcher: LauncherTraces = { store: adapter === 'builtin', ...policy, ...exported }
    return {
      launcher: { ...launcher },
      // The launcher sees the content of calls that pass through it.
      ...(isFull && hasProcess ? { modelProxy: true as const } : {}),
      ...(hasProcess && adapter !== 'none' ? { ports: ['otlpGrpc', 'otlpHttp'] as const } : {}),
      ...(problem === undefined ? {} : { condition: notApplied(problem) }),
    }
  }
}

function notApplied({
  index,
  detail,
}: {
  readonly index: number
  readonly detail: string
}): NonNullable<PodAddition['condition']> {
  return {
    type: 'TracePolicyApplied',
    status: 'False',
    reason: 'InvalidPattern',
    message: `spec.tracePolicy.redact[${index}] ${detail}. No spans of the agent are kept.`,
  }
}
