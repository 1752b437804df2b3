import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { UpstreamRequest } from '#test/flows/platform/audit-log.ts'
import type { Platform } from '../../flows/platform/running-platform.ts'
import { accountOf } from './credentials.ts'

// Health check of the dependency `cluster`, sent without a credential.
const isProbe = ({ uri, user }: UpstreamRequest): boolean => uri === '/readyz' && user === 'system:anonymous'

const accounts = new Set(['manager', 'worker', 'state', 'gateway'].map(accountOf))

/**
 * Requests that the API server received since a mark, without those of the platform's own work: health checks, and what an account of a
 * role asks outside of the traces of requests to mesh. Whatever a person's credential asks is returned, with or without a trace.
 */
export async function causedRequests(platform: Platform, mark: number): Promise<readonly UpstreamRequest[]> {
  const since = await platform.upstream.since(mark)
  const traces = await requestTraces(platform)
  return since.filter(
    (one) => !isProbe(one) && (!accounts.has(one.user) || (one.traceId !== undefined && traces.has(one.traceId))),
  )
}

// From the access log. A line is written after its response, so a last request shows that the lines of all earlier ones are there.
async function requestTraces({ send, tokens, logFiles }: Platform): Promise<ReadonlySet<string>> {
  const last = randomUUID()
  await send({ path: '/api/agents', bearer: tokens.admin, headers: { 'x-request-id': last } })
  for (;;) {
    const text = (await Promise.all(logFiles.map((file) => readFile(file, 'utf8')))).join('\n')
    if (text.includes(last)) {
      const lines = text.split('\n').filter((line) => line.includes('"requestId"'))
      return new Set(lines.flatMap((line) => /"traceId":"([0-9a-f]{32})"/.exec(line)?.[1] ?? []))
    }
    await pause(10)
  }
}
