import type { Caller } from '#core/cluster/caller.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import type { Core, PluginAvailability } from '#core/plugin/core-services.ts'
import { coreOwner } from '#core/http/health.ts'
import type { Authz } from '#core/http/endpoint/authz.ts'
import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { Capability, RequiredRight } from '#schemas/api/identity.ts'
import { GROUP } from '#schemas/names/group.ts'

/** The right that a capability requires: a verb on a resource. */
type Question = Omit<RequiredRight, 'namespace'>

/** The mounted endpoints, the availability of every plugin, and the namespaces to ask about. */
export interface CapabilityInput {
  readonly catalog: readonly MountedEndpoint[]
  readonly plugins: ReturnType<Core['plugins']>
  readonly directory: Directory | undefined
  /** The one namespace that counts; undefined: any. */
  readonly namespace?: DnsLabel | undefined
}

/**
 * Returns what the console may offer this caller: each plugin with its availability, and whether the caller may read it in any
 * namespace, or in one. Hidden plugins are omitted.
 */
export async function findCapabilities(caller: Caller, input: CapabilityInput): Promise<Capability[]> {
  const { catalog, plugins } = input
  // Plugins that cannot be disabled are not capabilities.
  const offered = catalog.filter(({ plugin }) => plugin !== coreOwner.plugin)
  const ids = [...new Set([...offered.map(idOf), ...plugins.keys()])].toSorted()
  const isAllowed = reviewOnce(caller, input)
  return Promise.all(
    ids.map(async (id): Promise<Capability> => {
      const mounted = offered.filter((entry) => idOf(entry) === id)
      if (mounted.length === 0) return withoutRoutes(id, plugins.get(id))
      const ready = mounted.filter((entry) => entry.wiring === 'ready')
      const question = questionOf(ready.length === 0 ? mounted : ready)
      const requires = question === undefined ? {} : { requires: { ...question, ...placeOf(input) } }
      if (ready.length === 0) return { id, ...unavailable(mounted[0]), ...requires }
      if (question === undefined || (await isAllowed(question))) return { id, enabled: true, ...requires }
      return { id, enabled: false, reason: 'denied', ...requires }
    }),
  )
}

// A part with its own id is a capability in addition to its plugin.
function idOf({ plugin, capability }: MountedEndpoint): string {
  return capability ?? plugin
}

// A plugin without routes under /api, such as the model gateway.
function withoutRoutes(id: string, wired: PluginAvailability | undefined): Capability {
  return wired?.wiring === 'ready' ? { id, enabled: true } : { id, ...unavailable(wired) }
}

function unavailable(found: Pick<PluginAvailability, 'reason' | 'setting'> | undefined) {
  const setting = found?.setting === undefined ? {} : { setting: found.setting }
  return { enabled: false, reason: found?.reason ?? ('unconfigured' as const), ...setting }
}

function placeOf({ namespace }: CapabilityInput): Pick<RequiredRight, 'namespace'> {
  return namespace === undefined ? {} : { namespace }
}

/**
 * The right that determines a plugin's capability: its first list, else its first other read. Without a read, any bearer token is sufficient. Pure.
 */
export function questionOf(mounted: readonly MountedEndpoint[]): Question | undefined {
  const reads = mounted.filter((entry) => entry.endpoint.method === 'GET').map((entry) => entry.endpoint.authz)
  const questions = reads.flatMap((authz) => toQuestion(authz, ['kube', 'review']))
  // The namespace of a row is known when it is found, so that its right is asked last.
  const ofRows = reads.flatMap((authz) => toQuestion(authz, ['row']))
  return questions.find(({ verb }) => verb === 'list') ?? questions[0] ?? ofRows[0]
}

// Rights on resources of Kubernetes (namespaces, pods/log, controllerrevisions.apps) do not decide; rights of third-party groups do.
const OTHER_GROUPS = new Set(['namespaces', 'pods', 'pods/log', 'secrets'])

type Asking = Extract<Authz, { readonly verb: string; readonly resource: string }>

function toQuestion(authz: Authz, kinds: readonly Asking['kind'][]): readonly Question[] {
  if (authz.kind === 'all') return authz.of.flatMap((one) => toQuestion(one, kinds))
  if (authz.kind !== 'kube' && authz.kind !== 'review' && authz.kind !== 'row') return []
  const { verb, resource } = authz
  if (!kinds.includes(authz.kind) || OTHER_GROUPS.has(resource)) return []
  const right = groupedRight('group' in authz ? authz.group : undefined, resource)
  return isOfKubernetes(right.group) ? [] : [{ verb, ...right }]
}

// `widgets.acme.example/status` is `widgets/status` of the group `acme.example`.
function groupedRight(declared: string | undefined, written: string): Pick<Question, 'resource' | 'group'> {
  const [name = '', ...below] = written.split('/')
  const dot = name.indexOf('.')
  const [plural, group] = dot < 0 ? [name, GROUP] : [name.slice(0, dot), name.slice(dot + 1)]
  return { resource: [plural, ...below].join('/'), group: declared ?? group }
}

function isOfKubernetes(group: string): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io')
}

// Several plugins have the same right. It is reviewed for the cluster; only if that is denied, for each namespace.
function reviewOnce(
  caller: Caller,
  { directory, namespace }: CapabilityInput,
): (question: Question) => Promise<boolean> {
  const asked = new Map<string, Promise<boolean>>()
  return (question) => {
    const { verb, resource, group } = question
    const key = `${verb} ${resource} ${group}`
    const found = asked.get(key) ?? isAllowedAnywhere(caller, question, namespace ?? directory)
    asked.set(key, found)
    return found
  }
}

async function isAllowedAnywhere(
  caller: Caller,
  { verb, resource, group }: Question,
  where: DnsLabel | Directory | undefined,
): Promise<boolean> {
  const namespace = typeof where === 'string' ? where : ''
  if ((await caller.may(verb, resource, { namespace, group })) !== undefined) return true
  if (where === undefined || typeof where === 'string') return false
  let found = false
  const named = group === GROUP ? resource : qualified(resource, group)
  await where.permitted(caller, verb, named, '', async () => {
    found = true
    return 'full'
  })
  return found
}

function qualified(resource: string, group: string): string {
  const [plural, ...below] = resource.split('/')
  return [`${plural}.${group}`, ...below].join('/')
}
