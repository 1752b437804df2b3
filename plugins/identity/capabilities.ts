import type { Caller } from '#core/cluster/caller.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import type { Core, PluginAvailability } from '#core/plugin/core-services.ts'
import { coreOwner } from '#core/http/health.ts'
import type { Authz } from '#core/http/endpoint/authz.ts'
import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import type { Capability } from '#schemas/api/identity.ts'

/** The right that a capability requires: a verb on a resource of the platform's group. */
interface Question {
  verb: string
  resource: string
}

/** The mounted endpoints, the availability of every plugin, and the namespace directory. */
export interface CapabilityInput {
  readonly catalog: readonly MountedEndpoint[]
  readonly plugins: ReturnType<Core['plugins']>
  readonly directory: Directory | undefined
}

/**
 * Returns what the console may offer this caller: each plugin with its availability, and whether the caller may read it in any
 * namespace. Hidden plugins are omitted.
 */
export async function findCapabilities(
  caller: Caller,
  { catalog, plugins, directory }: CapabilityInput,
): Promise<Capability[]> {
  // Plugins that cannot be disabled are not capabilities.
  const offered = catalog.filter(({ plugin }) => plugin !== coreOwner.plugin)
  const ids = [...new Set([...offered.map(idOf), ...plugins.keys()])].toSorted()
  return Promise.all(
    ids.map(async (id): Promise<Capability> => {
      const mounted = offered.filter((entry) => idOf(entry) === id)
      if (mounted.length === 0) return withoutRoutes(id, plugins.get(id))
      const ready = mounted.filter((entry) => entry.wiring === 'ready')
      if (ready.length === 0) return { id, enabled: false, reason: mounted[0]?.reason ?? 'unconfigured' }
      const question = questionOf(ready)
      const isAllowed = question === undefined || (await isAllowedAnywhere(caller, question, directory))
      return isAllowed ? { id, enabled: true } : { id, enabled: false, reason: 'denied' }
    }),
  )
}

// A part with its own id is a capability in addition to its plugin.
function idOf({ plugin, capability }: MountedEndpoint): string {
  return capability ?? plugin
}

// A plugin without routes under /api, such as the model gateway.
function withoutRoutes(id: string, wired: PluginAvailability | undefined): Capability {
  return wired?.wiring === 'ready'
    ? { id, enabled: true }
    : { id, enabled: false, reason: wired?.reason ?? 'unconfigured' }
}

/**
 * The right that determines a plugin's capability: its first list, else its first other read. Without a read, any bearer token is sufficient. Pure.
 */
export function questionOf(mounted: readonly MountedEndpoint[]): Question | undefined {
  const questions = mounted
    .filter((entry) => entry.endpoint.method === 'GET')
    .flatMap((entry) => toQuestion(entry.endpoint.authz))
  return questions.find((question) => question.verb === 'list') ?? questions[0]
}

// Rights on resources of Kubernetes (namespaces, pods/log, controllerrevisions.apps) do not decide; rights of third-party groups do.
const OTHER_GROUPS = new Set(['namespaces', 'pods', 'pods/log', 'secrets'])

function toQuestion(authz: Authz): readonly Question[] {
  if (authz.kind === 'all') return authz.of.flatMap(toQuestion)
  if (authz.kind !== 'kube' && authz.kind !== 'review') return []
  const { verb, resource } = authz
  return OTHER_GROUPS.has(resource) || isOfKubernetes(resource) ? [] : [{ verb, resource }]
}

function isOfKubernetes(resource: string): boolean {
  const [plural = ''] = resource.split('/', 1)
  const dot = plural.indexOf('.')
  const group = plural.slice(dot + 1)
  return dot >= 0 && (!group.includes('.') || group.endsWith('.k8s.io'))
}

// One review for the whole cluster. Only if it is denied, one review per namespace.
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
