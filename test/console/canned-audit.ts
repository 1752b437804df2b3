import type { IncomingMessage } from 'node:http'
import type { AuditEvent } from '#schemas/api/audit.ts'
import { cannedBody, cannedShell } from './fake-console.ts'

const hostile = '<img src=x onerror="document.title=1"> \u202e\u0007 مرحبا'
export const exportLine = 'id,occurred_at\n'

/** The shell of a caller that may read the log. */
export const auditShell = {
  ...cannedShell,
  '/api/capabilities': {
    profile: 'open',
    pages: [{ id: 'audit', title: 'Audit', section: 'Observe', path: '/audit', capability: 'audit' }],
    capabilities: [{ id: 'audit', enabled: true }],
  },
}

function rowOf(index: number): AuditEvent {
  return {
    id: `row-${index}`,
    occurred_at: new Date(1_795_975_000_000 - index * 60_000).toISOString(),
    source: index % 2 === 0 ? 'bff' : 'controller',
    actor: ['oncall@example.com', 'manager:argocd-controller', hostile][index % 3] ?? '',
    actor_exact: index % 3 !== 1,
    actor_kind: 'user',
    action: 'update',
    resource_kind: 'AgentDeployment',
    resource_name: index % 5 === 0 ? hostile : `refund-agent-${index}`,
    namespace: index % 4 === 0 ? '' : 'support',
    outcome: (['success', 'denied', 'error'] as const)[index % 3] ?? 'error',
    trace_id: index % 2 === 0 ? '4bf92f3577b34da6a3ce929d0e0e4736' : null,
    detail: { code: 'conflict', note: hostile },
  }
}

/** A log without an end, whose cursors are numbers; and what was asked. */
export function endlessLog() {
  const asked: URLSearchParams[] = []
  const list = (request: IncomingMessage) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x')
    asked.push(searchParams)
    const first = Number(searchParams.get('cursor') ?? 0)
    const items = Array.from({ length: 50 }, (_, index) => rowOf(first + index))
    return { items: searchParams.get('actor') === 'none' ? [] : items, nextCursor: String(first + 50) }
  }
  return { asked, api: { ...auditShell, '/api/audit': cannedBody(list), '/api/audit/export': exportLine } }
}
