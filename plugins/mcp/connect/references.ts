import { scanObjects } from '#core/http/resource/scan-objects.ts'
import type { ListCall } from '#core/http/resource/scan-objects.ts'
import type { RoutedKind } from '#core/http/resource/resource-schemas.ts'
import type { KubeObject, ObjectRef } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import { McpToolBinding } from '#schemas/crds/mcp-tool-binding.ts'
import type { McpToolBindingObject } from '#schemas/crds/mcp-tool-binding.ts'
import { ToolRegistry } from '#schemas/crds/tool-registry.ts'
import type { ToolRegistryObject } from '#schemas/crds/tool-registry.ts'

/** An object that refers to a server, directly or through others. */
export interface Referrer {
  readonly namespace: string
  readonly name: string
}

/** What refers to a server; null where the caller may list none. */
export interface ServerReferences {
  readonly bindings: readonly Referrer[] | null
  readonly registries: readonly Referrer[] | null
  readonly agents: readonly (Referrer & { readonly tools: readonly string[] })[] | null
  /** False if more objects exist than were read. */
  readonly complete: boolean
}

// Objects of one kind that are read.
const MOST_READ = 2_000

/** Reads what refers to a server, of the objects that the caller may list. */
export async function readServerReferences(call: Omit<ListCall, 'query'>, ref: ObjectRef): Promise<ServerReferences> {
  const { namespace = '' } = ref
  await call.caller.cluster.get(McpServer, ref, { signal: call.signal })
  const here = { ...call, query: { namespace } }
  const [bindings, registries, agents] = await Promise.all([
    readAll<McpToolBindingObject>(McpToolBinding, here),
    readAll<ToolRegistryObject>(ToolRegistry, here),
    readAll<AgentDeploymentObject>(AgentDeployment, { ...call, query: { scope: 'permitted' } }),
  ])
  const ofServer = bindings?.items.filter(({ spec }) => spec.serverRef.name === ref.name)
  const names = new Set(ofServer?.map(({ metadata }) => metadata.name))
  const ofBindings = registries?.items.filter(({ spec }) => spec.bindings.some(({ name }) => names.has(name)))
  const found = {
    namespace,
    bindings: names,
    registries: new Set(ofBindings?.map(({ metadata }) => metadata.name)),
  }
  return {
    bindings: ofServer?.map(nameOf) ?? null,
    registries: ofBindings?.map(nameOf) ?? null,
    agents: agents?.items.flatMap((agent) => toUser(agent, found)) ?? null,
    complete: [bindings, registries, agents].every((one) => one?.complete !== false),
  }
}

async function readAll<O extends KubeObject>(
  kind: RoutedKind,
  call: ListCall,
): Promise<{ readonly items: readonly O[]; readonly complete: boolean } | undefined> {
  const items: O[] = []
  let complete = true
  try {
    await scanObjects(kind, call, { done: '' }, (object) => {
      if (items.length === MOST_READ) {
        complete = false
        return 'full'
      }
      items.push(object as O)
      return 'more'
    })
  } catch (error) {
    if (isStatus(error, 403)) return undefined
    throw error
  }
  return { items, complete }
}

function nameOf({ metadata }: KubeObject): Referrer {
  return { namespace: metadata.namespace ?? '', name: metadata.name }
}

interface FoundTargets {
  readonly namespace: string
  readonly bindings: ReadonlySet<string>
  readonly registries: ReadonlySet<string>
}

function toUser(agent: AgentDeploymentObject, found: FoundTargets) {
  const own = agent.metadata.namespace ?? ''
  const isHere = ({ namespace = own }: { readonly namespace?: string }): boolean => namespace === found.namespace
  const tools = (agent.spec.tools ?? []).flatMap(({ name, bindingRef, registryRef }) => {
    const isUsed =
      (bindingRef !== undefined && isHere(bindingRef) && found.bindings.has(bindingRef.name)) ||
      (registryRef !== undefined && isHere(registryRef) && found.registries.has(registryRef.name))
    return isUsed ? [name] : []
  })
  return tools.length === 0 ? [] : [{ ...nameOf(agent), tools }]
}
