import type { Role } from '#core/config/profile.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { Persona } from '#local/data-folder/personas.ts'
import type { UpstreamLog } from './audit-log.ts'
import type { PostgresOptions } from '#test/harness/postgres.ts'
import type { PlatformProcess } from './platform-process.ts'
import type { ClusterRoles } from './roles.ts'
import type { Send } from './send.ts'

/** The running platform, with personas, mock routes, and the namespaces `demo` and `other`. */
export interface Platform {
  readonly form: Form
  readonly url: string
  readonly gatewayUrl: string
  readonly stateUrl: string
  readonly tokens: Readonly<Record<Persona, string>>
  /** Data folder of the embedded form. */
  readonly dataDir?: string
  /** By role; in the embedded form all are one process. */
  readonly processes: Readonly<Partial<Record<Role, PlatformProcess>>>
  /** Sends a raw request to the BFF; the path is not normalised. */
  readonly send: Send
  readonly apiServer: { readonly url: string; readonly ca: string }
  /** Sends a raw request to the API server, which determines the permissions of a persona. */
  readonly kube: Send
  /** Client of the API server as cluster-admin. */
  readonly admin: KubeClient
  /** Requests received by the API server, from its audit log. */
  readonly upstream: UpstreamLog
  /** PEM of the key that signs service account tokens, for tokens that no API server would issue. */
  readonly issuerKeyFile: string
  /** Complete output of the processes. */
  readonly logFiles: readonly string[]
  /** Set if the platform has its own servers. */
  readonly servers?: {
    readonly postgres: {
      readonly url: string
      readonly adminUrl: string
      pause(): void
      resume(): void
      stop(): Promise<void>
      restart(): Promise<void>
    }
    readonly nats: { stop(): Promise<void>; restart(): Promise<void> }
  }
  /** Set if each role is a separate process. */
  readonly roles?: ClusterRoles
}

/** Additional environment of every process of the platform. */
export interface PlatformOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Serves only these namespaces, with the permissions of `deploy/components/namespaced`; cluster form only. */
  readonly namespaces?: readonly string[]
  /** Pods of candidates have addresses of their own, which the worker reads with its own account; cluster form only. */
  readonly candidates?: boolean
  /** Whether it lives for minutes under load; embedded form only, whose store is optimised then. */
  readonly isLoaded?: boolean
  /** Options of the database server; cluster form only. */
  readonly postgres?: PostgresOptions
}

/**
 * `embedded`: one process on the embedded API server and PGlite. `cluster`: one process per role on kube-apiserver, PostgreSQL and NATS.
 */
export type Form = 'embedded' | 'cluster'
