import { needs } from '#test/harness/find-server.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startOnCluster } from './platform/on-cluster.ts'
import { startEmbedded } from './platform/embedded.ts'
import type { Form, Platform, PlatformOptions } from './platform/running-platform.ts'

/** Both forms with the servers they need, for `for (const { form, options } of forms)`. */
export const forms: readonly { readonly form: Form; readonly options: { skip: string | false } }[] = [
  { form: 'embedded', options: { skip: false } },
  { form: 'cluster', options: needs('etcd', 'kube-apiserver', 'kubectl', 'nats-server', 'initdb') },
]

/** Starts the platform in a form. Everything is stopped with the scope, in reverse order. */
export async function startPlatform(t: Scope, form: Form, options: PlatformOptions = {}): Promise<Platform> {
  const closers: (() => unknown)[] = []
  // Hooks run in the order they were added; the last process started must stop first.
  t.after(async () => {
    for (const close of closers.toReversed()) await close()
  })
  const scope: Scope = {
    after: (fn) => void closers.push(fn),
    ...(t.skip === undefined ? {} : { skip: (reason) => t.skip?.(reason) }),
  }
  return form === 'embedded' ? startEmbedded(scope, options) : startOnCluster(scope, options)
}
