import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { AuditEvent } from '#schemas/api/audit.ts'
import type { Platform } from '../../flows/platform/running-platform.ts'
import type { Cell } from './matrix.ts'

/** A mutation that is expected to be denied. Its trace id identifies it in the audit log. */
export interface Denial {
  readonly user: string
  readonly cell: Cell
  readonly traceId: string
}

/** All rows of the audit log with `outcome: denied`. */
export async function deniedRows({ send, tokens }: Platform): Promise<readonly AuditEvent[]> {
  const rows: AuditEvent[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await send({ path: `/api/audit?limit=200${query}`, bearer: tokens.admin })
    assert.equal(page.status, 200, page.text)
    const { items, nextCursor } = page.json<{ items: AuditEvent[]; nextCursor: string | null }>()
    rows.push(...items)
    cursor = nextCursor
  }
  return rows.filter(({ outcome }) => outcome === 'denied')
}

const countOf = ({ detail }: AuditEvent): number => Number(detail['count'])

/**
 * Asserts that each denial is counted exactly once in a row of its actor, that the row has the namespace of its first denial, and that no
 * two rows share (actor, action, resource, minute).
 */
export async function holdDenials(platform: Platform, sent: readonly Denial[], deadlineMs = 120_000): Promise<void> {
  const end = performance.now() + deadlineMs
  let rows = await deniedRows(platform)
  while (sum(rows) < sent.length && performance.now() < end) {
    await pause(100)
    rows = await deniedRows(platform)
  }
  const byActor = (actor: string): number => sum(rows.filter((row) => row.actor === actor))
  const actors = [...new Set([...sent.map(({ user }) => user), ...rows.map(({ actor }) => actor)])].toSorted()
  assert.deepEqual(
    Object.fromEntries(actors.map((actor) => [actor, byActor(actor)])),
    Object.fromEntries(actors.map((actor) => [actor, sent.filter(({ user }) => user === actor).length])),
    'denials by actor',
  )
  const sentBy = new Map(sent.map((denial) => [denial.traceId, denial]))
  const keys = new Set<string>()
  for (const row of rows) {
    const denial = sentBy.get(row.trace_id ?? '')
    assert.ok(denial !== undefined, `a row of no denial: ${JSON.stringify(row)}`)
    assert.deepEqual([row.actor, row.source], [denial.user, 'bff'], JSON.stringify(row))
    const { route, target } = denial.cell
    // A namespace is the object itself, and a tenant belongs to the cluster.
    const namespace = /^(?:PUT \/api\/namespaces\/|POST \/api\/tenants$)/.test(route) ? '' : target.namespace
    assert.equal(row.namespace, namespace, `${route}: ${JSON.stringify(row)}`)
    const minute = row.occurred_at.slice(0, 16)
    const key = [row.actor, row.action, row.resource_kind, row.namespace, row.resource_name, minute].join(' ')
    assert.ok(!keys.has(key), `two rows of ${key}`)
    keys.add(key)
  }
}

function sum(rows: readonly AuditEvent[]): number {
  return rows.reduce((total, row) => total + countOf(row), 0)
}
