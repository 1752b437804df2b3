import { getPriority, setPriority } from 'node:os'
import type { ThreadPort, ThreadShell, RunThread } from '#launcher/contract/thread.ts'
import { createCountReports } from './count-reports.ts'
import type { CountReports } from './count-reports.ts'
import { createExports } from './exports.ts'
import { serveGrpc, serveHttp } from './handlers.ts'
import type { ThreadOrder, ThreadReport, ThreadSettings } from './thread-settings.ts'

/** Maximum number of queued spans per destination: one second at 20,000 spans per second, at most 16 MiB. */
const MAX_SPANS = 20_000

/** Maximum number of spans in a batch: at most 1 MiB. */
const MAX_BATCH = 2_048

/** Serves the OTLP ports in a thread until it is closed, so that reading spans delays no request of the launcher (H4). */
export const runThread: RunThread = async (settings, port, shell) => {
  const report = (message: ThreadReport): void => port.postMessage(message)
  giveWay()
  try {
    const counts = createCountReports((counted) => report({ type: 'counts', ...counted }))
    const opened = await openCollector(settings as ThreadSettings, counts, shell)
    const close = async (): Promise<void> => {
      try {
        await opened.close()
      } finally {
        counts.flush()
        report({ type: 'closed' })
      }
    }
    port.on('message', (order: ThreadOrder) => {
      if (order === 'drain') opened.drain()
      // oxlint-disable-next-line typescript/no-floating-promises -- the report is its end
      else void close()
    })
    report({ type: 'open', ports: opened.ports })
  } catch (error) {
    const { code, port: taken } = error as { readonly code?: string; readonly port?: number }
    report({ type: 'failed', message: error instanceof Error ? error.message : String(error), code, port: taken })
  }
}

const LEAST_NICE = 19
const NICER_BY = 10

// Linux has thread priorities: on a busy machine, requests of the launcher precede spans. On other systems the priority would apply to the whole
// process.
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(LEAST_NICE, getPriority() + NICER_BY))
  } catch {
    // A seccomp filter may refuse the call.
  }
}

interface OpenCollector extends Pick<ThreadPort, 'drain' | 'close'> {
  readonly ports: { readonly otlpGrpc: number; readonly otlpHttp: number }
}

async function openCollector(
  settings: ThreadSettings,
  counts: CountReports,
  shell: ThreadShell,
): Promise<OpenCollector> {
  const { agent, logLevel, grpcPort, httpPort } = settings
  const log = shell.log(logLevel, { launcher: agent.name, thread: 'collector' })
  const target = shell.spans(settings, {
    log,
    maxSpans: MAX_SPANS,
    maxBatch: MAX_BATCH,
    onDropped: counts.dropped,
  })
  const exports = createExports(target ?? { add: () => undefined }, {
    'mesh.agent.namespace': agent.namespace,
    'mesh.agent.name': agent.name,
    'mesh.agent.uid': agent.uid,
  })
  // Not logged here: the launcher logs its open ports.
  const options = { log, onRefusal: counts.refused }
  const grpc = await shell.listen(serveGrpc(exports, counts.refused), { ...options, number: grpcPort })
  const http = await shell.listen(serveHttp(exports), { ...options, number: httpPort })
  const listeners = [grpc, http]
  return {
    ports: { otlpGrpc: grpc.port, otlpHttp: http.port },
    drain: () => {
      for (const listener of listeners) listener.drain()
    },
    close: async () => {
      await Promise.all(listeners.map((listener) => listener.close()))
      await target?.close()
      await shell.close()
    },
  }
}
