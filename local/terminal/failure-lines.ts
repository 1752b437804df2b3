import { Type } from 'typebox'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { messageOfLine } from '#core/log/message-of-line.ts'
import { processSecrets } from '#core/log/secrets.ts'
import { runCreated, runFailed } from '#plugins/runs/events.ts'

/** A process of an agent that failed. */
export interface AgentCrash {
  readonly namespace: string
  readonly name: string
  readonly exitCode: number
  /** Last output of the agent. */
  readonly lastLine?: string | undefined
}

/** Lines about failures on the terminal of `mesh all`. */
export interface Terminal {
  crashed(crash: AgentCrash): void
  runFailed(run: { readonly agent: string; readonly runId: string; readonly reason: string }): void
}

const quietMs = 30_000
const mostAgents = 1_000
const mostCharacters = 200

/** At most one line per agent and kind in 30 s; the next line has the number of omitted ones. `now` returns monotonic milliseconds. */
export function createTerminal(write: (line: string) => void, now: () => number = () => performance.now()): Terminal {
  const known = new Map<string, { at: number; omitted: number }>()
  const say = (key: string, text: string): void => {
    const last = known.get(key)
    if (last !== undefined && now() - last.at < quietMs) {
      last.omitted++
      return
    }
    known.delete(key)
    if (known.size >= mostAgents) known.delete(known.keys().next().value ?? '')
    known.set(key, { at: now(), omitted: 0 })
    const more = last === undefined || last.omitted === 0 ? '' : ` (${last.omitted} more like it since the last line)`
    write(`${text}${more}`)
  }
  return {
    crashed: ({ namespace, name, exitCode, lastLine }) => {
      const said = printable(messageOfLine(lastLine ?? ''))
      const agent = `${namespace}/${name}`
      say(
        `crash ${agent}`,
        `agent ${agent} exited with code ${exitCode}${said === '' ? '; its log is empty' : `: ${said}`}`,
      )
    },
    runFailed: ({ agent, runId, reason }) =>
      say(`run ${agent}`, `run ${runId} of agent ${agent} failed: ${printable(reason)}`),
  }
}

// Output of an agent is untrusted: escape sequences would change the terminal.
function printable(text: string): string {
  const clean = processSecrets
    .redact(text)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim()
  return clean.length > mostCharacters ? `${clean.slice(0, mostCharacters)}...` : clean
}

const mostRuns = 10_000

/** Reports failed runs. Only for the embedded default: workers in a cluster have a log and metrics. */
export function terminalPlugin(terminal: Terminal) {
  return definePlugin({
    contract: 1,
    name: 'terminal',
    settings: Type.Object({}),
    requires: ['store'],
    create: () => ({ agents: new Map<string, string>() }),
    consumers: ({ agents }): readonly Consumer[] => [
      {
        name: 'terminal.failed-runs',
        types: [runCreated.type, runFailed.type],
        order: 'stream',
        from: 'now',
        role: 'worker',
        handle: async (events) => events.forEach((event) => follow(event, agents, terminal)),
      },
    ],
  })
}

// The event of the failure contains only the run's id.
function follow(event: StoredEvent, agents: Map<string, string>, terminal: Terminal): void {
  const { namespace = '' } = event.subject
  const data = event.data as { runId: string; agent?: { name?: string } | null; failReason?: string }
  if (event.type === runCreated.type) {
    if (agents.size >= mostRuns) agents.delete(agents.keys().next().value ?? '')
    agents.set(data.runId, `${namespace}/${data.agent?.name ?? ''}`)
    return
  }
  const agent = agents.get(data.runId) ?? `(unknown) in ${namespace}`
  agents.delete(data.runId)
  terminal.runFailed({ agent, runId: data.runId, reason: data.failReason ?? 'unknown' })
}
