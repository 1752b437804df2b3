import type { User } from '../auth/user.ts'
import type { RequestInfo } from '../rbac/request-info.ts'
import { REVIEWS } from '../reviews/review-kinds.ts'

/** Content of the audit event of a request beyond its head. */
export interface AuditReport {
  /** The authenticated user of a request with impersonation. */
  readonly authenticated: string | undefined
  readonly answer?: string | object
  readonly dryRun?: boolean
}

const mutations = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])
// Reviews are created but never stored, and there are several per request of the platform.
const reviewGroups: ReadonlySet<string> = new Set(REVIEWS.map(({ group }) => group))

/** An `audit.k8s.io/v1` Event of stage ResponseComplete for a mutation; undefined for others and for reviews. It contains only metadata of bodies. */
export function toAuditEvent(entry: AuditEntry, requestURI: () => string): object | undefined {
  const { auditID, now, user, info, code, report } = entry
  if (!mutations.has(info.verb) || reviewGroups.has(info.group)) return undefined
  const username = user?.username ?? ''
  const { authenticated = username } = report
  const answer = report.answer === undefined ? undefined : parts(report.answer)
  return {
    level: 'RequestResponse',
    auditID,
    stage: 'ResponseComplete',
    requestURI: requestURI(),
    verb: info.verb,
    user: { username: authenticated },
    ...(authenticated === username ? {} : { impersonatedUser: { username } }),
    objectRef: {
      apiGroup: info.group,
      resource: info.resource,
      subresource: info.subresource,
      namespace: info.namespace,
      name: info.name || madeName(answer),
    },
    responseStatus: { code },
    ...(report.dryRun === true ? { requestObject: { kind: 'DeleteOptions', dryRun: ['All'] } } : {}),
    ...(answer === undefined ? {} : { responseObject: reduce(answer) }),
    stageTimestamp: now.toISOString(),
  }
}

function parts(answer: string | object): Parts {
  return record(typeof answer === 'string' ? JSON.parse(answer) : answer)
}

// The path of a create has no name. kube-apiserver completes the reference from the body, where a generated name is missing.
function madeName({ kind, metadata, details }: Parts = {}): string {
  const { name } = record(kind === 'Status' ? details : metadata)
  return typeof name === 'string' ? name : ''
}

// Specs and statuses are left out: the audit intake reads actor and object, never content.
function reduce({ kind, details, metadata, items }: Parts): object {
  return {
    kind,
    ...(details === undefined ? {} : { details: identityOf(details) }),
    ...(metadata === undefined ? {} : { metadata: identityOf(metadata) }),
    ...(Array.isArray(items) ? { items: items.map((item) => ({ metadata: identityOf(record(item).metadata) })) } : {}),
  }
}

function identityOf(metadata: unknown): object {
  const { uid, resourceVersion, name, namespace, deletionTimestamp } = record(metadata)
  return { uid, resourceVersion, name, namespace, deletionTimestamp }
}

interface Parts {
  readonly [field: string]: unknown
  readonly kind?: unknown
  readonly details?: unknown
  readonly metadata?: unknown
  readonly items?: unknown
  readonly uid?: unknown
  readonly resourceVersion?: unknown
  readonly name?: unknown
  readonly namespace?: unknown
  readonly deletionTimestamp?: unknown
}

function record(value: unknown): Parts {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** One request for the audit log: user, verb and object, never a body. */
export interface AuditEntry {
  auditID: string
  now: Date
  user: User | undefined
  info: RequestInfo
  rawUrl: string
  code: number
  /** The part of the response for the webhook backend. */
  report: AuditReport
}
