import { Fail } from '#core/errors/domain-error.ts'
import { PolicyProblem } from '#core/guardrails/detectors/policy-problem.ts'
import { createRedactor } from '#core/guardrails/redactor.ts'
import type { Redactor } from '#core/guardrails/redactor.ts'
import type { RunSnapshot } from '#plugins/runs/contract/api.ts'
import type { GivenCase } from './prepare-case.ts'

/** How a case is made from a run. */
export interface RunCaseOptions {
  /** Whether its output is the expected output. */
  readonly expected: 'output' | 'none'
  readonly tags?: readonly string[] | undefined
  readonly redactors: CaseRedactors
}

/** Redactors by the names that the trace policies of agents and the request give. */
export interface CaseRedactors {
  /** The redactor of a policy and the request; undefined for a policy that cannot be applied. */
  of(names: readonly string[]): Redactor | undefined
}

const MAX_KEPT = 100

/** Creates the redactors of a request. Throws `invalid_body` for a name of the request that cannot be applied. */
export function createRedactors(asked: readonly string[]): CaseRedactors {
  const own = compile(asked)
  if (own instanceof PolicyProblem)
    throw new Fail('invalid_body', undefined, {
      errors: [{ pointer: `/redaction/redact${own.pointer}`, detail: own.detail }],
    })
  const kept = new Map<string, Redactor | undefined>([['[]', own]])
  return {
    of(names) {
      const key = JSON.stringify(names)
      if (kept.has(key)) return kept.get(key)
      const made = compile([...new Set([...names, ...asked])])
      if (kept.size >= MAX_KEPT) kept.clear()
      const redactor = made instanceof PolicyProblem ? undefined : made
      kept.set(key, redactor)
      return redactor
    },
  }
}

function compile(names: readonly string[]): Redactor | PolicyProblem {
  try {
    return createRedactor(names)
  } catch (error) {
    if (error instanceof PolicyProblem) return error
    throw error
  }
}

/** The case of a run, without secrets and what is redacted; `hidden` if the trace policy of its agent hides contents. */
export async function caseOfRun(
  { run, found, content }: Pick<RunSnapshot, 'run' | 'found' | 'content'>,
  { expected, tags, redactors }: RunCaseOptions,
): Promise<GivenCase | 'hidden'> {
  const redactor = content === 'hidden' ? undefined : redactors.of(content.redact)
  if (redactor === undefined) return 'hidden'
  const output = expected === 'none' ? null : run.output
  const [input, shown] = (await redactor.value([run.input, output])) as readonly unknown[]
  const agent = run.agent === null ? {} : { agent: run.agent.name, revision: run.agent.revision }
  return {
    id: run.id,
    input,
    ...(output === null || output === undefined ? {} : { expected: shown }),
    metadata: { ...agent, state: run.state, createdAt: run.createdAt },
    tags,
    runId: run.id,
    traceId: found.traceId,
  }
}
