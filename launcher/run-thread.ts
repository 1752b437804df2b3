import type { MessagePort } from 'node:worker_threads'
import type { ThreadData, ThreadShell } from './contract/thread.ts'
import { listen } from './http/listener.ts'
import { createUpstream } from './http/upstream.ts'
import { createLog } from './telemetry/log.ts'
import { createSpanExport } from './telemetry/span-export.ts'
import { parseTraceSettings } from './telemetry/trace-settings.ts'
import { pluginThreads } from './thread-list.ts'

/** Runs the thread of a plugin until it is closed. */
export async function runThread({ plugin, settings }: ThreadData, port: MessagePort): Promise<void> {
  const load = pluginThreads[plugin]
  if (load === undefined) throw new Error(`the plugin ${plugin} has no thread`)
  const room = await load()
  await room.runThread(settings, port, createThreadShell())
}

function createThreadShell(): ThreadShell {
  const upstream = createUpstream()
  return {
    log: createLog,
    listen: (served, { log, ...options }) =>
      listen(served, { ...options, address: '127.0.0.1', log: { ...log, info: () => undefined } }),
    spans: ({ traces, ...targets }, parts) =>
      createSpanExport({ ...targets, traces: parseTraceSettings(traces) }, { ...upstream, ...parts }),
    close: upstream.close,
  }
}
