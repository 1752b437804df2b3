import type { Role } from '#core/config/profile.ts'
import { needs } from '#test/harness/find-server.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { UpstreamLog } from './platform/audit-log.ts'
import { startOnCluster } from './platform/on-cluster.ts'
import type { ClusterRoles } from './platform/roles.ts'
import { startEmbedded } from './platform/embedded.ts'
import type { Send } from './platform/send.ts'
import type { Persona } from '#local/personas.ts'

/** What a test can do with a process of the platform. */
export interface PlatformProcess {
  readonly pid: number
  readonly adminUrl: string
  /** Its exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>
  signal(signal: NodeJS.Signals): void
  output(): string
}

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

/** `embedded`: one process on the embedded API server and PGlite. `cluster`: a process for each role on kube-apiserver, PostgreSQL and NATS. */
export type Form = 'embedded' | 'cluster'

/** Both forms with the servers that each needs, for `for (const { form, options } of forms)`. */
export const forms: readonly { readonly form: Form; readonly options: { skip: string | false } }[] = [
  { form: 'embedded', options: { skip: false } },
  { form: 'cluster', options: needs('etcd', 'kube-apiserver', 'kubectl', 'nats-server', 'initdb') },
]

/** What every process of the platform gets besides: settings by environment. */
export interface PlatformOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Only these are served, by accounts with the rights of `deploy/components/namespaced`; in the cluster form. */
  readonly namespaces?: readonly string[]
}

/** Starts the platform in a form; everything ends with the scope, by pid, in reverse. */
export async function startPlatform(t: Scope, form: Form, options: PlatformOptions = {}): Promise<Platform> {
  const closers: (() => unknown)[] = []
  // Hooks of a test run in the order in which they were added; what was started last must end first.
  t.after(async () => {
    for (const close of closers.toReversed()) await close()
  })
  const scope: Scope = {
    after: (fn) => void closers.push(fn),
    ...(t.skip === undefined ? {} : { skip: (reason) => t.skip?.(reason) }),
  }
  return form === 'embedded' ? startEmbedded(scope, options) : startOnCluster(scope, options)
}
