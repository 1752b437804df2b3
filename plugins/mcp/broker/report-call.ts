import type { KubeClient } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { objectRefOf } from '#core/controllers/object-ref.ts'
import type { Logger } from '#core/log/logger.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import type { BoundTool } from './bound-tools.ts'

/** Reasons in the status of a server, by the error of a call. Other errors say nothing about the server. */
const reasons = {
  tool_changed: 'ManifestChanged',
  tool_unavailable: 'Unavailable',
  tool_result_refused: 'ResultRefused',
  tool_timeout: 'Timeout',
} as const

/** Reports the outcome of a call on the object of its server, without delaying the call. Settles when the object is written. */
export type ReportCall = (bound: BoundTool, code: string | undefined) => Promise<void>

/** Dependencies of the reports; times in milliseconds of a monotonic clock. */
export interface ReportCallOptions {
  readonly cluster: Pick<KubeClient, 'patch'>
  readonly log: Logger
  readonly now: () => Date
  readonly clock?: () => number
}

// Rate limits of writes to the API server: for a server that fails often, and for one that fails occasionally.
const PAUSE_MS = 10_000
const MIN_PAUSE_MS = 1_000
const MAX_SERVERS = 1_000

/** Creates the reports of one process. The manager turns them into a condition (X3). */
export function createReportCall(options: ReportCallOptions): ReportCall {
  const { clock = () => performance.now() } = options
  const written = new Map<string, { readonly at: number; readonly reason: string | null }>()
  return async ({ server, tool }, code) => {
    const reason = code === undefined ? null : reasonOf(code)
    if (reason === undefined) return
    const uid = server.metadata.uid ?? ''
    const before = written.get(uid)
    const age = before === undefined ? PAUSE_MS : clock() - before.at
    // The cached object may be older than the last write of this process.
    if (before !== undefined && age < PAUSE_MS && (before.reason === reason || age < MIN_PAUSE_MS)) return
    if (age >= PAUSE_MS && reason === null && server.status?.failedCall === undefined) return
    if (written.size >= MAX_SERVERS) written.clear()
    written.set(uid, { at: clock(), reason })
    await write(
      options,
      server,
      reason === null ? null : { tool: tool.name, reason, time: options.now().toISOString() },
    )
  }
}

function reasonOf(code: string): string | undefined {
  return Object.entries(reasons).find(([name]) => name === code)?.[1]
}

async function write(
  { cluster, log }: ReportCallOptions,
  server: McpServerObject,
  failedCall: NonNullable<McpServerObject['status']>['failedCall'] | null,
): Promise<void> {
  const ref = objectRefOf(server)
  try {
    // The uid prevents a write to a successor of the same name.
    const body = { metadata: { uid: server.metadata.uid }, status: { failedCall } }
    await cluster.patch(McpServer, ref, { type: 'merge', body }, { subresource: 'status', fieldManager: 'mesh-state' })
  } catch (error) {
    if (!isStatus(error, 404) && !isStatus(error, 409)) log.warn({ server: ref.name }, 'failed call not reported')
  }
}
