import type { ApiClient } from '#cli/contract/api-client.ts'
import type { DevInput } from '#cli/contract/dev.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { sleep } from '#core/async/sleep.ts'
import { drawTraceTree } from './trace-tree.ts'
import type { TracedRun } from './trace-tree.ts'

// Costs are metered shortly after the end of a run.
const TRIES = 10
const PAUSE_MS = 50

/**
 * Prints the trace of an ended run as a tree, after `before`, such as the trace of an earlier run. Never rejects: a run is no less done without its
 * trace.
 */
export async function printRunTrace(
  { out, err, width }: DevInput,
  api: ApiClient,
  runId: string,
  before?: Promise<void>,
): Promise<void> {
  // One trace is read at a time: meanwhile the calls of the next run are metered, and fewer reads come too early.
  await before
  const shown = await readTrace(api, runId)
    .then((trace) => ({ tree: drawTraceTree(trace, width) }))
    .catch((error: unknown) => ({ problem: toSafeText(String(error)) }))
  if ('tree' in shown) out(shown.tree)
  else err(`the trace of run ${toSafeText(runId)} cannot be read: ${shown.problem}\n`)
}

/** A run with its tree, once its calls are metered. */
export async function readTrace(api: ApiClient, runId: string): Promise<TracedRun> {
  for (let tries = 1; ; tries++) {
    const run = await api.get<TracedRun['run']>(['runs', runId])
    if (run.pendingCalls === 0 || tries >= TRIES) return { run, tree: await api.get(['runs', runId, 'tree']) }
    await sleep(PAUSE_MS)
  }
}
