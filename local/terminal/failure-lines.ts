import { Type } from 'typebox'
import type { CoreTables } from '#core/database/core-tables.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { readStreamOf } from '#core/event-store/read-events.ts'
import type { Consumer, HandlerContext } from '#core/messaging/consumer/consumer.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { messageOfLine } from '#core/log/message-of-line.ts'
import { processSecrets } from '#core/log/secrets.ts'
import { runCreated, runFailed } from '#plugins/runs/contract/events.ts'

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

/** Reports failed runs. Only for the embedded default: workers in a cluster have a log and metrics. */
export function terminalPlugin(terminal: Terminal) {
  return definePlugin({
    contract: 1,
    name: 'terminal',
    settings: Type.Object({}),
    requires: ['store'],
    create: () => ({}),
    consumers: (): readonly Consumer[] => [
      {
        name: 'terminal.failed-runs',
        types: [runFailed.type],
        order: 'none',
        from: 'now',
        role: 'worker',
        handle: async (events, tx) => {
          for (const event of events) await report(event, tx, terminal)
        },
      },
    ],
  })
}

async function report({ stream, subject, data }: StoredEvent, tx: HandlerContext, terminal: Terminal): Promise<void> {
  const { runId, failReason } = data as { readonly runId: string; readonly failReason: string }
  const namespace = subject.namespace ?? ''
  const agent = await agentOf(tx, stream)
  terminal.runFailed({
    agent: agent === undefined ? `(unknown) in ${namespace}` : `${namespace}/${agent}`,
    runId,
    reason: failReason,
  })
}

// The event of the failure contains only the run's id.
async function agentOf(tx: HandlerContext, stream: string): Promise<string | undefined> {
  const first = { stream, version: 0, lowWatermark: 0n, types: [runCreated.type] }
  const [created] = await readStreamOf(tx.tables<CoreTables>(), first, 1)
  return (created?.data as { readonly agent?: { readonly name: string } | null } | undefined)?.agent?.name
}
