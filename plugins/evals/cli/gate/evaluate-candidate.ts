import { isApiStatus } from '#cli/contract/api-problem.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { ContextInput } from '#cli/contract/command.ts'
import { fieldOf } from '#cli/contract/field-of.ts'
import { signalCode } from '#cli/contract/stop-signal.ts'
import { durationToMs } from '#schemas/values/duration.ts'
import type { EvalSuiteObject, EvalSuiteSpec } from '#schemas/crds/eval-suite.ts'
import type { Candidate } from '../candidate/candidate.ts'
import { placeReferences } from '../candidate/place-references.ts'
import { planDataset, planSuite } from '../candidate/plan-suite.ts'
import { previewName } from '../candidate/preview.ts'
import { readAgentCandidate } from '../candidate/read-candidate.ts'
import { printReport } from '../report/print-report.ts'
import type { reportFormats } from '../report/print-report.ts'
import { failedReport, toEvalReport } from '../report/report.ts'
import type { EvalReport, ReportedBaseline, ReportHead } from '../report/report.ts'
import { applyPreview, ensureNamespace } from './apply-preview.ts'
import type { PreviewPlan } from './apply-preview.ts'
import { refuseBound, refuseDataset, refuseJudge } from './check-references.ts'
import { createCleanup } from './cleanup.ts'
import { END_MS, START_MS, followGate } from './follow-gate.ts'
import { readAllCases, readSummary } from './read-results.ts'
import { Stopped, watchForStop } from './stop.ts'
import type { StopWatch } from './stop.ts'

interface EvalValues {
  readonly candidate: string
  readonly 'min-score': number
  readonly dataset: string | undefined
  readonly namespace: string
  readonly output: (typeof reportFormats)[number]
}

type EvalInput = ContextInput<EvalValues>

/** Time for the clean-up. */
const CLEANUP_MS = 300_000

const codes = { pass: 0, fail: 1, error: 2 } as const

/** `meshctl eval`: evaluates an agent file as a preview without traffic, and removes what it made, also after a signal. */
export async function evaluateCandidate(input: EvalInput): Promise<number> {
  const { values, api, err, progress } = input
  const stop = watchForStop(input)
  const cleanup = createCleanup(input)
  const candidate = await readAgentCandidate(input, values.candidate, input.namespace)
  const source = await readSuite(input, candidate)
  const head = headOf(input, candidate, source)
  try {
    const plan = planPreview(input, candidate, source)
    await refuseDataset(api, plan.suite.datasetRef, plan.namespace)
    await ensureNamespace(input, plan.namespace, cleanup)
    if (source !== undefined && plan.namespace !== candidate.namespace)
      await refuseJudge(api, plan.suite, plan.namespace)
    await applyPreview(input, plan, { cleanup, stop })
    const baseline = await readBaseline(input, candidate, source)
    const report = toEvalReport(head, { results: await follow(input, plan, stop), spec: plan.suite, baseline })
    progress('')
    printReport(input, report, values.output)
    return codes[report.decision]
  } catch (error) {
    progress('')
    if (error instanceof Stopped) {
      err(`meshctl: ${error.message}; what it made is deleted.\n`)
      return signalCode(error.signal)
    }
    return reportFailure(input, head, input.explain(error))
  } finally {
    await cleanup.run()
  }
}

async function readSuite({ api }: EvalInput, { suite, namespace }: Candidate): Promise<EvalSuiteSpec | undefined> {
  if (suite === undefined) return undefined
  const found = await api.get<EvalSuiteObject>(['evalsuites', namespace, suite]).catch((error: unknown) => {
    if (isApiStatus(error, 404))
      throw new CliProblem(
        `suite ${namespace}/${suite} does not exist`,
        'Create it, or remove eval.suite from the file.',
      )
    throw error
  })
  return fieldOf(found, 'spec')
}

function headOf({ values }: EvalInput, candidate: Candidate, source: EvalSuiteSpec | undefined): ReportHead {
  const { file, namespace: from, name, suite, dataset } = candidate
  const used = planDataset(values.dataset ?? dataset, { source, from, into: '' })
  return {
    candidate: { file, namespace: from, name },
    namespace: values.namespace,
    suite: suite === undefined ? null : `${from}/${suite}`,
    dataset: used === undefined ? null : `${used.namespace}/${used.name}`,
    minScore: values['min-score'],
  }
}

function planPreview({ values }: EvalInput, candidate: Candidate, source: EvalSuiteSpec | undefined): PreviewPlan {
  const { namespace: into, 'min-score': minScore } = values
  const dataset = planDataset(values.dataset ?? candidate.dataset, { source, from: candidate.namespace, into })
  if (dataset === undefined)
    throw new CliProblem(`${candidate.file} names no dataset`, 'eval.dataset of the file names one, or --dataset.')
  const suite = planSuite({ source, dataset, minScore })
  const { name, namespace } = candidate
  const plan = { candidate, name: previewName(name), namespace: into, suite, expiresAfter: lifetimeOf(suite) }
  if (namespace === into) return { ...plan, spec: candidate.spec }
  const { spec, bound } = placeReferences(candidate.spec, namespace)
  // The suite is copied, and a prompt with its text is posted.
  const hasPrompt = candidate.prompt !== undefined
  refuseBound(
    bound.filter(({ kind }) => kind !== 'EvalSuite' && !(kind === 'PromptVersion' && hasPrompt)),
    into,
  )
  return { ...plan, spec }
}

function evaluationMs({ timeout = '10m' }: EvalSuiteSpec): number {
  return durationToMs(timeout) ?? 600_000
}

// Longer than the command follows the gate and cleans up.
function lifetimeOf(suite: EvalSuiteSpec): string {
  return `${Math.ceil((START_MS + evaluationMs(suite) + END_MS + CLEANUP_MS) / 60_000)}m`
}

async function follow({ api, progress }: EvalInput, plan: PreviewPlan, stop: StopWatch) {
  const of = { namespace: plan.namespace, suite: plan.name, agent: plan.name }
  const { revision } = await followGate({
    results: () => readSummary(api, of),
    agent: () => api.get(['agents', plan.namespace, plan.name]),
    pause: stop.pause,
    now: () => performance.now(),
    show: progress,
    evaluationMs: evaluationMs(plan.suite),
  })
  return readAllCases(api, { ...of, ...(revision === null ? {} : { revision }) })
}

// Reported only: it is left out without the right to read it.
async function readBaseline(
  { api }: EvalInput,
  { namespace, name, suite }: Candidate,
  source: EvalSuiteSpec | undefined,
): Promise<ReportedBaseline | null> {
  if (suite === undefined) return null
  const found = await readSummary(api, { namespace, suite, agent: name }).catch(() => undefined)
  const serving = found?.history.find(({ deployed }) => deployed)
  if (serving === undefined) return null
  return { revision: serving.revision, score: serving.score, maxRegression: source?.baseline?.maxRegression ?? null }
}

function reportFailure(input: EvalInput, head: ReportHead, error: unknown): number {
  const message = error instanceof Error ? error.message : String(error)
  const report: EvalReport = failedReport(head, message)
  printReport(input, report, input.values.output)
  input.err(`meshctl: ${message}\n`)
  return codes.error
}
