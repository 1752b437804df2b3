import { guessedActor } from '#core/controllers/objects/object-fingerprint.ts'
import type { AuditTables } from '../contract/tables.ts'

// Replaces a string that its column does not accept, since it might be a secret (A8).
const REFUSED = 'redacted'
const GUESS = guessedActor('')

// Usernames come from the cluster (e-mail addresses, issuer URLs, certificate names); any client can choose a field manager freely.
const uid = /^[A-Za-z0-9-]{1,64}$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const username = /^[\p{L}\p{N}][\p{L}\p{N} ._:@/+#=,|~!$&'()*%-]{0,316}$/u
const fieldManager = /^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,127}$/
const name = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._:-]{0,251}[A-Za-z0-9])?)?$/

const columns = {
  action: /^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*$/,
  resource_kind: /^[A-Za-z/][A-Za-z0-9/:._-]{0,127}$/,
  resource_name: name,
  namespace: /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)?$/,
  trace_id: /^[0-9a-f]{32}$/,
}

const details: Readonly<Record<string, RegExp>> = {
  uid,
  subject: username,
  resourceVersion: /^[0-9]{1,64}$/,
  code: /^[a-z][a-z0-9_]{0,63}$/,
  interruptId: /^[A-Za-z0-9._:-]{1,128}$/,
  decision: /^(?:approve|reject)$/,
  trigger: /^[a-z][a-z0-9-]{0,39}$/,
  tool: /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/,
  // Free text of the decider: one line of printable characters, its length is limited where the decision is made.
  decisionReason: /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]{1,1024}$/u,
  digest: /^sha256:[0-9a-f]{64}$/,
  edited: /^true$/,
  onReject: /^answer$/,
  late: /^true$/,
  malformed: /^true$/,
  reason: /^unknown$/,
  occurredAt: instant,
  amends: uuid,
  runId: uuid,
  scoreId: uuid,
  source: /^(?:agent|person|human|judge|code|api)$/,
  revision: /^[1-9][0-9]{0,9}$/,
  agent: name,
  expiresAt: instant,
  maxViews: /^[1-9][0-9]{0,9}$/,
  content: /^(?:full|none)$/,
  way: /^(?:code|token|oidc)$/,
  persona: /^[a-z][a-z0-9-]{0,62}$/,
  impersonated: username,
  count: /^[1-9][0-9]{0,9}$/,
}

/** Names of the fields that `detail` may have. */
export const auditDetails: ReadonlySet<string> = new Set(Object.keys(details))

/** The string columns of a row. */
export type AuditText = Pick<
  AuditTables['audit_log'],
  'actor' | 'action' | 'resource_kind' | 'resource_name' | 'namespace' | 'trace_id' | 'detail'
> & { readonly actor_exact: boolean }

/** Whether a string has the format of a uid. */
export function isUid(text: string): boolean {
  return uid.test(text)
}

/** Applies the allowlist of its column to every string of a row. */
export function allowlisted(row: AuditText): AuditText {
  return {
    actor_exact: row.actor_exact,
    actor: row.actor_exact ? allowed(username, row.actor) : allowedGuess(row.actor),
    action: allowed(columns.action, row.action),
    resource_kind: allowed(columns.resource_kind, row.resource_kind),
    resource_name: allowed(columns.resource_name, row.resource_name),
    namespace: allowed(columns.namespace, row.namespace),
    trace_id: row.trace_id !== null && columns.trace_id.test(row.trace_id) ? row.trace_id : null,
    detail: allowedDetail(row.detail),
  }
}

function allowedDetail(detail: AuditText['detail']): AuditText['detail'] {
  const { changes, ...rest } = detail
  const kept = Object.entries(rest).filter(([key, value]) => details[key]?.test(String(value)))
  const fields = allowedChanges(changes)
  return { ...Object.fromEntries(kept), ...(fields === undefined ? {} : { changes: fields }) }
}

const field = /^[a-z][A-Za-z]{0,31}(?:\.[a-z][A-Za-z]{0,31}){0,4}$/
// Addresses, names, durations, amounts: one word. The kind's allowlist (`audited`) determines the fields.
const fieldValue = /^[\p{L}\p{N}\p{P}\p{S}]{0,2048}$/u

function allowedChanges(changes: unknown): Record<string, unknown> | undefined {
  if (typeof changes !== 'object' || changes === null) return undefined
  const entries = Object.entries(changes).flatMap(([path, change]): [string, unknown][] =>
    field.test(path) ? [[path, allowedEnds(change)]] : [],
  )
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function allowedEnds(change: unknown): Record<string, unknown> {
  const ends = typeof change === 'object' && change !== null ? Object.entries(change) : []
  return Object.fromEntries(
    ends
      .filter(([end]) => end === 'from' || end === 'to')
      .map(([end, value]) => [
        end,
        typeof value === 'string'
          ? allowed(fieldValue, value)
          : Number.isFinite(value) || typeof value === 'boolean'
            ? value
            : REFUSED,
      ]),
  )
}

// The prefix is kept for every field manager, so that a guess never reads as an account.
function allowedGuess(actor: string): string {
  if (!actor.startsWith(GUESS)) return allowed(fieldManager, actor)
  return GUESS + allowed(fieldManager, actor.slice(GUESS.length))
}

function allowed(pattern: RegExp, text: string): string {
  return pattern.test(text) ? text : REFUSED
}
