import type { DevInput } from '#cli/contract/dev.ts'
import { applyAgent, applyEarly, untilReady } from '../agent/agent-session.ts'
import type { Closers } from '../stack/closers.ts'
import type { ModelBackend } from '../agent/model-objects.ts'
import { openDevStack, agentRefOf } from '../stack/open-stack.ts'
import type { DevAgent } from '../agent/read-agent.ts'
import { readRecordedRuns } from './replay-inputs.ts'
import { replayRuns } from './replay-runs.ts'
import { replayedTools } from './tool-objects.ts'

/** An agent, and the recording that it repeats. */
export interface ReplayStart {
  readonly agent: DevAgent
  readonly path: string
  readonly closers: Closers
  readonly signal: AbortSignal
}

/** `meshctl dev --replay`: models and tools of the agent are those of a recording (ADR 0302). Resolves with the exit code. */
export async function replayAgent(input: DevInput, { agent, path, closers, signal }: ReplayStart): Promise<number> {
  const served = await input.serveReplay(path, { instructions: isDeclarative(agent) })
  closers.push(served.close)
  const { inputs, model, fixture } = await readRecordedRuns(path)
  const backend: ModelBackend = { type: 'replay', baseUrl: `${served.url}/v1`, model }
  const given = { backend, objects: replayedTools(agent.agent, fixture, served.url), isRecorded: false }
  const { api, cluster } = await openDevStack(input, closers, {
    content: (early) => applyEarly({ ...given, cluster: early }, agent),
  })
  const applied = await applyAgent({ ...given, cluster, api }, agent)
  await untilReady(cluster, applied, signal)
  return replayRuns(input, { api, agent: agentRefOf(agent), inputs, served, signal })
}

// Another agent writes its instructions itself, maybe with the time of day in them.
function isDeclarative({ agent: { spec } }: DevAgent): boolean {
  const { command } = (spec['runtime'] ?? {}) as { readonly command?: unknown }
  return spec['image'] === undefined && command === undefined
}
