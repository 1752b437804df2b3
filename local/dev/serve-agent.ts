import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { DevInput } from '#cli/contract/dev.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { applyAgent, applyEarly, removeAgent, untilReady } from './agent/agent-session.ts'
import type { AgentSession } from './agent/agent-session.ts'
import type { Closers } from './stack/closers.ts'
import type { DevStack } from './stack/dev-stack.ts'
import { serveConsole } from './console/console-server.ts'
import type { FoundConsole } from './console/find-console.ts'
import type { ConsoleTarget } from './console/pass-request.ts'
import { serveFront } from './front/front-server.ts'
import type { FrontTarget } from './front/front-server.ts'
import type { ModelBackend } from './agent/model-objects.ts'
import { openDevStack, agentRefOf } from './stack/open-stack.ts'
import { openPort } from './front/open-port.ts'
import { readDevAgent } from './agent/read-agent.ts'
import type { DevAgent } from './agent/read-agent.ts'
import { printRunTrace } from './trace/print-trace.ts'
import { untilSettled } from './trace/until-settled.ts'
import { openRecorder } from './replay/record-run.ts'
import type { RunRecorder } from './replay/record-run.ts'
import { watchEdits } from './front/watch-file.ts'

/** What a session starts with, and where it adds what it has opened. */
export interface DevStart {
  readonly agent: DevAgent
  readonly backend: ModelBackend
  /** Undefined without `--ui`. */
  readonly ui: FoundConsole | undefined
  readonly closers: Closers
  readonly signal: AbortSignal
}

/** Starts platform and agent, publishes its port and follows its file. Resolves with an exit code only if the session ends by itself. */
export async function serveAgent(input: DevInput, start: DevStart): Promise<number> {
  const { values, out } = input
  const { agent, backend, ui, closers, signal } = start
  const began = performance.now()
  const published: { target?: FrontTarget; platform?: ConsoleTarget } = {}
  let onRun: ConsoleTarget['onRun'] = () => Promise.resolve()
  const openRecording = values.record === undefined ? undefined : await openRecorder(values.record)
  const front = await openPort('--port', values.port, () =>
    serveFront({
      port: values.port,
      target: () => published.target,
      onRun: (runId) => onRun(runId),
    }),
  )
  closers.push(front.close)
  const consoleUrl = ui === undefined ? undefined : await openConsole(ui, () => published.platform, closers)
  const given = { backend, objects: [], isRecorded: openRecording !== undefined }
  const content = (cluster: AgentSession['cluster']): Promise<void> => applyEarly({ ...given, cluster }, agent)
  const stack = await openDevStack(input, closers, { publicUrl: consoleUrl, content })
  const { cluster, api } = stack
  const recorder = openRecording?.(api)
  onRun = (runId) => reportRun(input, { api, recorder, runId, signal })
  published.platform = { url: stack.started.url, bearer: stack.bearer, onRun }
  const session: AgentSession = { ...given, cluster, api }
  const publish = (one: DevAgent): void => {
    published.target = { agent: agentRefOf(one), invoke: invokerOf(stack) }
  }
  const applied = await applyAgent(session, agent)
  if (!values['no-wait']) {
    await untilReady(cluster, applied, signal)
    publish(agent)
    await smoke(front.url)
  }
  publish(agent)
  const ms = performance.now() - began
  out(announcement(input, { url: front.url, consoleUrl, ms, name: agent.agent.metadata.name }))
  if (values.file !== '-') closers.push(followFile(input, { session, agent, publish, signal }))
  return new Promise(() => undefined)
}

async function openConsole(
  ui: FoundConsole,
  target: () => ConsoleTarget | undefined,
  closers: Closers,
): Promise<string> {
  const server = await openPort('--ui-port', ui.port, () => serveConsole({ ...ui, target }))
  closers.push(server.close)
  return server.url
}

interface StartedRun {
  readonly api: DevStack['api']
  readonly recorder: RunRecorder | undefined
  readonly runId: string
  readonly signal: AbortSignal
}

// A caller that has left, or that does not wait, does not end its run.
async function reportRun(input: DevInput, { api, recorder, runId, signal }: StartedRun): Promise<void> {
  await untilSettled(api, runId, signal, Infinity).catch(() => undefined)
  if (signal.aborted) return
  await printRunTrace(input, api, runId)
  if (recorder === undefined) return
  try {
    await recorder.add(runId)
    input.out(`recorded in ${toSafeText(input.values.record ?? '')}\n`)
  } catch (error) {
    input.err(`the run is not recorded: ${error instanceof CliProblem ? error.message : toSafeText(String(error))}\n`)
  }
}

function invokerOf({ started, bearer }: DevStack): FrontTarget['invoke'] {
  return ({ body, accept, signal }) =>
    fetch(`${started.url}/api/invoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', accept },
      body: JSON.stringify(body),
      signal,
    })
}

async function smoke(url: string): Promise<void> {
  const response = await fetch(`${url}/healthz`)
  if (!response.ok) throw new CliProblem(`the published port responds with ${response.status}`, 'Start dev again.')
}

interface Announced {
  readonly url: string
  readonly consoleUrl: string | undefined
  readonly ms: number
  readonly name: string
}

function announcement({ values }: DevInput, { url, consoleUrl, ms, name }: Announced): string {
  const model = values.provider === 'mock' ? 'mock (always MOCK_OK)' : `${values.model}`
  const state = values['no-wait'] ? 'is starting' : 'is ready'
  return `agent ${name} ${state} (${(ms / 1000).toFixed(1)} s), model ${toSafeText(model)}
  invoke   POST ${url}/invoke
           curl -H 'Content-Type: application/json' -d '{"input":"Hi"}' ${url}/invoke
${consoleUrl === undefined ? '' : `  console  ${consoleUrl}\n`}Edits of ${toSafeText(values.file)} reload it. Ctrl-C stops it.
`
}

interface Followed {
  readonly session: AgentSession
  readonly agent: DevAgent
  readonly publish: (agent: DevAgent) => void
  readonly signal: AbortSignal
}

// A file that is not valid is reported, and the last valid agent serves on.
function followFile(input: DevInput, { session, agent, publish, signal }: Followed): () => void {
  let serving = agent
  return watchEdits(input.values.file, async () => {
    const began = performance.now()
    try {
      const edited = await readDevAgent(input, input.values.file)
      if (edited.source === serving.source || signal.aborted) return
      const applied = await applyAgent(session, edited)
      const isRenamed = JSON.stringify(agentRefOf(edited)) !== JSON.stringify(agentRefOf(serving))
      if (isRenamed) await removeAgent(session.cluster, agentRefOf(serving))
      serving = edited
      await untilReady(session.cluster, applied, signal)
      publish(edited)
      input.out(`reloaded in ${Math.round(performance.now() - began)} ms\n`)
    } catch (error) {
      if (signal.aborted) return
      const text = error instanceof CliProblem ? error.message : toSafeText(String(error))
      input.err(`${text}\nThe last valid agent serves.\n`)
    }
  })
}
