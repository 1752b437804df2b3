import type { Scope } from '#test/harness/scope.ts'
import { startEmbedded } from './embedded.ts'
import { startOnCluster } from './on-cluster.ts'
import type { Form, Platform } from './running-platform.ts'
import { untilObserved } from './until-observed.ts'

const started = new Map<Form, Promise<Platform>>()

/**
 * The platform of this process in a form, which test files share: each uses agents, roles and routes of its own names, and counts only what
 * it creates. It ends with the process.
 */
export function sharedPlatform(form: Form): Promise<Platform> {
  const running = started.get(form) ?? start(form)
  started.set(form, running)
  return running
}

/** As `sharedPlatform('embedded')`, in another process than the files that use both forms. It may reach upstreams on this machine. */
export function sharedEmbedded(): Promise<Platform> {
  return sharedPlatform('embedded')
}

async function start(form: Form): Promise<Platform> {
  const scope: Scope = { after: () => undefined }
  const platform = await (form === 'embedded'
    ? startEmbedded(scope, { env: { MESH_OUTBOUND_ALLOW: '127.0.0.1' } })
    : startOnCluster(scope, {}))
  return { ...platform, send: untilObserved(platform.send) }
}
