import type { ApiClient } from '#cli/contract/api-client.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { DevInput, ServedReplay } from '#cli/contract/dev.ts'
import { printRunTrace } from '../trace/print-trace.ts'
import type { TracedRun } from '../trace/trace-tree.ts'
import { untilSettled } from '../trace/until-settled.ts'

/** What is replayed: the agent, its recorded inputs, and the served recording. */
export interface ReplayedSession {
  readonly api: ApiClient
  readonly agent: { readonly namespace: string; readonly name: string }
  readonly inputs: readonly unknown[]
  readonly served: ServedReplay
  readonly signal: AbortSignal
}

type Run = TracedRun['run']

// Below the timeout of the client. The platform says when a run has ended, so that most are read once.
const INVOKE_TIMEOUT = '20s'
const RUN_MS = 120_000
const MAX_RESUMES = 32

/** Invokes the agent with each recorded input. Resolves with 0, with 1 if a run failed, and with 2 if calls differed from the recording. */
export async function replayRuns(input: DevInput, session: ReplayedSession): Promise<number> {
  const { api, inputs, served } = session
  if (inputs.length === 0)
    throw new CliProblem(
      '--replay: the recording has no run that begins with an input',
      'Record a run of the agent with dev --record FILE.',
    )
  let hasFailed = false
  // The next run does not wait until the calls of this one are metered.
  let printed = Promise.resolve()
  for (const one of inputs) {
    const run = await runOnce(session, one)
    printed = printRunTrace(input, api, run.id, printed)
    hasFailed ||= run.state !== 'succeeded'
  }
  await printed
  const code = await served.close()
  input.out(code === 0 ? 'every recorded call was made as recorded\n' : 'the replay differs from the recording\n')
  return code === 0 && hasFailed ? 1 : code
}

async function runOnce(session: ReplayedSession, input: unknown): Promise<Run> {
  const { api, agent, signal } = session
  const { runId } = await api.post<{ readonly runId: string }>(['invoke'], { agent, input, timeout: INVOKE_TIMEOUT })
  let run = await untilSettled(api, runId, signal, RUN_MS)
  // The recording has the calls after an approval: it was given.
  for (let resumes = 0; run.state === 'paused' && resumes < MAX_RESUMES; resumes++) {
    const [interrupt] = run.interrupts
    if (interrupt?.reason !== 'approval_required') break
    await api.post(['runs', run.id, 'resume'], { interruptId: interrupt.id, decision: 'approve' })
    run = await untilSettled(api, run.id, signal, RUN_MS)
  }
  return run
}
