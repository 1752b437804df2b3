import type { Caller } from '#core/cluster/caller.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import type { Core, Wired } from '#core/plugin/core-services.ts'
import type { Authz } from '#core/http/endpoint/endpoint.ts'
import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import type { Capability } from '#schemas/api/identity.ts'

/** What a caller must be allowed for a capability to show: a verb on a resource of our group. */
interface Question {
  verb: string
  resource: string
}

/** What is mounted, how every plugin is wired, and where to look for namespaces. */
export interface CapabilityInput {
  readonly catalog: readonly MountedEndpoint[]
  readonly plugins: ReturnType<Core['plugins']>
  readonly directory: Directory | undefined
}

/**
 * What the console may offer this caller: each plugin with its wiring, and whether the caller may do its reading in any
 * namespace. Hidden plugins are not in the catalog, so they are not named.
 */
export async function findCapabilities(
  caller: Caller,
  { catalog, plugins, directory }: CapabilityInput,
): Promise<Capability[]> {
  const ids = [...new Set([...catalog.map((mounted) => mounted.plugin), ...plugins.keys()])].toSorted()
  return Promise.all(
    ids.map(async (id): Promise<Capability> => {
      const mounted = catalog.filter((entry) => entry.plugin === id)
      if (mounted.length === 0) return withoutRoutes(id, plugins.get(id))
      const ready = mounted.filter((entry) => entry.wiring === 'ready')
      if (ready.length === 0) return { id, enabled: false, reason: mounted[0]?.reason ?? 'unconfigured' }
      const question = questionOf(ready)
      const isAllowed = question === undefined || (await isAllowedAnywhere(caller, question, directory))
      return isAllowed ? { id, enabled: true } : { id, enabled: false, reason: 'denied' }
    }),
  )
}

// A plugin without routes for people, such as the model gateway.
function withoutRoutes(id: string, wired: Wired | undefined): Capability {
  return wired?.wiring === 'ready'
    ? { id, enabled: true }
    : { id, enabled: false, reason: wired?.reason ?? 'unconfigured' }
}

/** The reading that decides for a plugin: its first list, else its first other reading; none means that a bearer is enough. Pure. */
export function questionOf(mounted: readonly MountedEndpoint[]): Question | undefined {
  const questions = mounted
    .filter((entry) => entry.endpoint.method === 'GET')
    .flatMap((entry) => toQuestion(entry.endpoint.authz))
  return questions.find((question) => question.verb === 'list') ?? questions[0]
}

// Resources of other groups (namespaces, pods/log) say nothing about a plugin of ours.
const OTHER_GROUPS = new Set(['namespaces', 'pods', 'pods/log', 'secrets'])

function toQuestion(authz: Authz): Question[] {
  if (authz.kind !== 'kube' && authz.kind !== 'review') return []
  const { verb, resource } = authz
  return OTHER_GROUPS.has(resource) || resource.includes('.') ? [] : [{ verb, resource }]
}

// The whole cluster in one question; only who may not see all of it is asked about each namespace.
async function isAllowedAnywhere(
  caller: Caller,
  question: Question,
  directory: Directory | undefined,
): Promise<boolean> {
  const { verb, resource } = question
  if ((await caller.may(verb, resource, { namespace: '' })) !== undefined) return true
  if (directory === undefined) return false
  let found = false
  await directory.permitted(caller, verb, resource, '', async () => {
    found = true
    return 'full'
  })
  return found
}
