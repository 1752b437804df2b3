import type { Role } from '#core/config/profile.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { Persona } from '#local/cluster/personas.ts'
import type { UpstreamLog } from './audit-log.ts'
import type { PlatformProcess } from './platform-process.ts'
import type { ClusterRoles } from './roles.ts'
import type { Send } from './send.ts'

/** The whole platform, up, with the personas, the mock routes and the namespaces `demo` and `other`. */
export interface Platform {
  readonly form: Form
  readonly url: string
  readonly gatewayUrl: string
  readonly stateUrl: string
  readonly tokens: Readonly<Record<Persona, string>>
  /** By role; in the embedded form one process has them all. */
  readonly processes: Readonly<Partial<Record<Role, PlatformProcess>>>
  /** A raw request to the BFF; the path is sent as it is written. */
  readonly send: Send
  readonly apiServer: { readonly url: string; readonly ca: string }
  /** A raw request straight to the API server: the oracle of what a persona may. */
  readonly kube: Send
  /** As cluster-admin, straight at the API server. */
  readonly admin: KubeClient
  /** What the API server was asked, by its own audit log. */
  readonly upstream: UpstreamLog
  /** PEM of the key that signs service account tokens: for tests of tokens that no API server would issue. */
  readonly issuerKeyFile: string
  /** What the processes print, whole. */
  readonly logFiles: readonly string[]
  /** Only on servers of their own. */
  readonly servers?: {
    readonly postgres: {
      readonly url: string
      pause(): void
      resume(): void
      stop(): Promise<void>
      restart(): Promise<void>
    }
    readonly nats: { stop(): Promise<void>; restart(): Promise<void> }
  }
  /** Only where each role is a process of its own. */
  readonly roles?: ClusterRoles
}

/** What every process of the platform gets besides: settings by environment. */
export interface PlatformOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Only these are served, by accounts with the rights of `deploy/components/namespaced`; in the cluster form. */
  readonly namespaces?: readonly string[]
}

/** `embedded`: one process on the embedded API server and PGlite. `cluster`: a process for each role on kube-apiserver, PostgreSQL and NATS. */
export type Form = 'embedded' | 'cluster'
