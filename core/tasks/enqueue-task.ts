import { sql } from 'kysely'
import { Fail } from '#core/errors/domain-error.ts'
import { isLabel } from '#core/kube/names.ts'
import { currentTrace } from '#core/telemetry/trace-context.ts'
import { formatTraceparent } from '#core/telemetry/traceparent.ts'
import { checkPayload } from './check-payload.ts'
import type { TaskTransaction, TaskType } from './task.ts'

/** A task to enqueue. */
export interface NewTask<Payload> {
  /** Tasks of one namespace share its part of the capacity. Without it, the task belongs to the installation. */
  readonly namespace?: string
  readonly namespaceUid?: string
  readonly payload: Payload
  /** Enqueued once per type and namespace, for as long as the earlier task is kept. */
  readonly key?: string
  /** Earliest start; default now. */
  readonly at?: Date
}

/** Result of enqueueing: the id, and whether an earlier task has the key. */
export interface Enqueued {
  readonly id: string
  readonly duplicate: boolean
}

const maxKeyLength = 512

/** Inserts a task in the caller's transaction. Throws for a payload outside schema or size, and 429 for a full queue. */
export async function enqueueTask<Payload>(
  tx: TaskTransaction,
  type: TaskType<Payload>,
  task: NewTask<Payload>,
): Promise<Enqueued> {
  const { name, limits } = type
  const payload = encode(type, task.payload)
  const { namespace, namespaceUid, key } = checked(name, task)
  const trace = currentTrace()
  const at = task.at?.toISOString() ?? null
  // One statement: the count ends at the limit, and a key that exists inserts nothing.
  const { rows } = await sql<{ id: string | null; existing: string | null; crowded: boolean }>`
    with known as (select id from tasks where type = ${name} and namespace = ${namespace} and key = ${key}::text),
    queued as (select count(*) >= ${limits.maxQueued} as crowded from (
      select 1 from tasks where type = ${name} and namespace = ${namespace} and state = 'ready'
      limit ${limits.maxQueued}) waiting),
    inserted as (
      insert into tasks (type, namespace, namespace_uid, key, payload, due_at, traceparent)
      select ${name}, ${namespace}, ${namespaceUid}::text, ${key}::text, ${payload},
        coalesce(${at}::timestamptz, clock_timestamp()), ${trace === undefined ? null : formatTraceparent(trace)}::text
      from queued where not crowded and not exists (select 1 from known)
      on conflict (type, namespace, key) where key is not null do nothing
      returning id)
    select (select id::text from inserted) as id, (select id::text from known) as existing, crowded from queued`.execute(
    tx.tables(),
  )
  const [row] = rows
  if (row?.id != null) return { id: row.id, duplicate: false }
  if (row?.existing != null) return { id: row.existing, duplicate: true }
  if (row?.crowded === true) throw queueFull(name, limits.maxQueued)
  // Inserted by a transaction that committed after this statement began.
  return { id: await readId(tx, name, namespace, key), duplicate: true }
}

function queueFull(name: string, most: number): Fail {
  return new Fail('too_many_requests', `The namespace has ${most} waiting tasks of ${name}.`, { retryAfter: 5 })
}

async function readId(tx: TaskTransaction, name: string, namespace: string, key: string | null): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select id::text as id from tasks where type = ${name} and namespace = ${namespace} and key = ${key}`.execute(
    tx.tables(),
  )
  return rows[0]?.id ?? ''
}

function encode<Payload>({ name, payload: schema, limits }: TaskType<Payload>, payload: Payload): string {
  const wrong = checkPayload(schema, payload)
  if (wrong !== undefined) throw new TypeError(`task ${name}: payload${wrong.pointer}: ${wrong.detail}`)
  const text = JSON.stringify(payload) as string | undefined
  if (text === undefined) throw new TypeError(`task ${name}: payload must be a value of JSON`)
  const bytes = Buffer.byteLength(text)
  if (bytes > limits.maxPayloadBytes)
    throw new TypeError(`task ${name}: payload has ${bytes} bytes, at most ${limits.maxPayloadBytes} are allowed`)
  return text
}

interface CheckedFields {
  readonly namespace: string
  readonly namespaceUid: string | null
  readonly key: string | null
}

function checked(name: string, { namespace = '', namespaceUid, key, at }: NewTask<unknown>): CheckedFields {
  const refuse = (why: string): never => {
    throw new TypeError(`task ${name}: ${why}`)
  }
  if (namespace !== '' && !isLabel(namespace)) refuse('namespace must be a DNS label')
  if (namespaceUid !== undefined && !isText(namespaceUid, 128)) refuse('namespaceUid must be 1 to 128 characters')
  if (key !== undefined && !isText(key, maxKeyLength)) refuse(`key must be 1 to ${maxKeyLength} characters`)
  // The range of years that PostgreSQL and RFC 3339 share.
  if (at !== undefined && !(at instanceof Date && at.getTime() >= 0 && at.getUTCFullYear() <= 9999))
    refuse('at must be a date from 1970 to 9999')
  return { namespace, namespaceUid: namespaceUid ?? null, key: key ?? null }
}

function isText(value: unknown, most: number): boolean {
  return (
    typeof value === 'string' && value !== '' && value.length <= most && !value.includes('\0') && value.isWellFormed()
  )
}
