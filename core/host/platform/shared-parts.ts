import type { TokenBucketOptions } from '#core/async/token-bucket.ts'
import type { ClusterLocation } from '#core/cluster/cluster-config.ts'
import type { ServedNamespaces } from '#core/cluster/served-namespaces.ts'
import type { Database } from '#core/database/database.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Bus } from '#core/messaging/bus/bus.ts'
import type { NatsBus } from '#core/messaging/bus/nats-bus.ts'
import type { LogFeed } from '#core/messaging/log-feed.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import type { StateStore } from '#core/state-store/state-store.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'

/** Everything that the roles of a process share. */
export interface SharedParts {
  readonly database: Database | undefined
  readonly bus: Bus | NatsBus
  /** Delivers the log to the consumers of this process, instead of the bus. */
  readonly feed?: LogFeed | undefined
  /** For the state role only. */
  readonly stateStore?: StateStore | undefined
  /** For the state role only. */
  readonly objects?: ObjectStore | undefined
  readonly cluster: ClusterLocation
  readonly served: ServedNamespaces
  /** Deadline of calls to the cluster in milliseconds (K4). */
  readonly deadlineMs?: number
  /** Bounds the retries of the manager's reconcilers. */
  readonly retries?: TokenBucketOptions
  /** Bounds their other attempts. */
  readonly attempts?: TokenBucketOptions
  /** Bound of the code of migrations; default 30 seconds. */
  readonly hookSeconds?: number
  /** Bound of a projection; default 30 seconds. */
  readonly applySeconds?: number
  readonly install: string
  readonly eventRetentionDays: number
  /** Interval in milliseconds at which the relay reads the log although nothing was announced; default five seconds. */
  readonly relayPollMs?: number | undefined
  readonly log: Logger
  readonly metrics: Metrics
  readonly tracer?: Tracer | undefined
}
