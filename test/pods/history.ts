import assert from 'node:assert/strict'
import { at, until } from './api.ts'
import type { Answer, Api } from './api.ts'

/** What an installation has to keep through a change of its version: runs that have ended, and audit rows. */
export interface History {
  readonly runs: readonly string[]
  readonly audit: readonly string[]
  /** No earlier than the newest row. */
  readonly readAt: string
}

// Fields that both versions have under the same names.
const ofRun = ['id', 'state', 'input', 'output', 'subject', 'createdAt', 'finishedAt']
const ofRow = ['id', 'source', 'actor', 'action', 'namespace', 'outcome']

/** Reads runs and audit rows of a namespace as an operator. */
export async function readHistory(operator: Api, namespace: string): Promise<History> {
  const runs = await itemsOf(operator, `/api/runs?namespace=${namespace}&limit=100`)
  const bodies = await Promise.all(runs.map((run) => read(operator, `/api/runs/${String(at(run, 'id'))}`)))
  const rows = await itemsOf(operator, `/api/audit?namespace=${namespace}&limit=100`)
  return {
    runs: bodies.map((body) => textOf(body, ofRun)),
    audit: rows.map((row) => textOf(row, ofRow)),
    readAt: new Date().toISOString(),
  }
}

/** Asserts that what was read before is still readable, unchanged. */
export async function assertKept(operator: Api, { runs, audit, readAt }: History, namespace: string): Promise<void> {
  const ids = runs.map((run) => String(at(JSON.parse(run), 'id')))
  const bodies = await Promise.all(ids.map((id) => read(operator, `/api/runs/${id}`)))
  assert.deepEqual(
    bodies.map((body) => textOf(body, ofRun)),
    runs,
    'runs of before',
  )
  const rows = await itemsOf(operator, `/api/audit?namespace=${namespace}&limit=100&to=${readAt}`)
  const kept = new Set(rows.map((row) => textOf(row, ofRow)))
  assert.deepEqual(
    audit.filter((row) => !kept.has(row)),
    [],
    'audit rows of before',
  )
}

/** Waits until the cost of a namespace counts each of `calls` model calls. A projection is a moment behind. */
export async function countsCalls(operator: Api, namespace: string, calls: () => number): Promise<void> {
  const path = `/api/cost?namespace=${namespace}`
  await until(
    `the cost counts ${calls()} calls`,
    () => operator('GET', path),
    (body) => at(body, 'total', 'calls') === calls(),
  )
}

function textOf(body: unknown, fields: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(fields.map((field) => [field, at(body, field)])))
}

async function itemsOf(operator: Api, path: string): Promise<readonly unknown[]> {
  const items = at(await read(operator, path), 'items')
  if (!Array.isArray(items)) throw new Error(`${path} has no items`)
  return items
}

async function read(operator: Api, path: string): Promise<unknown> {
  const { status, body }: Answer = await operator('GET', path)
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`)
  return body
}
