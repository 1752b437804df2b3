import type { Role } from '#core/config/profile.ts'
import type { Database } from '#core/database/database.ts'
import { createLogFeed } from '#core/messaging/log-feed.ts'
import type { LogFeed } from '#core/messaging/log-feed.ts'

/** Input that decides how events reach the consumers of a process. */
export interface FeedNeeds {
  readonly natsUrl: string | undefined
  readonly roles: readonly Role[]
  readonly database: Database | undefined
}

const writingRoles: readonly Role[] = ['bff', 'gateway', 'state', 'worker', 'manager']

/**
 * Opens the feed of a process that runs every role on NATS. Without NATS the bus is in memory already. A process with some roles takes part in
 * the durable consumers, which give each event to one of its replicas.
 */
export function openLogFeed({ natsUrl, roles, database }: FeedNeeds): LogFeed | undefined {
  const hasAll = writingRoles.every((role) => roles.includes(role))
  return natsUrl === undefined || database === undefined || !hasAll ? undefined : createLogFeed(database)
}
