import { createTtlCache } from '#core/async/ttl-cache.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { findNamedObject } from '#core/kube/find-named-object.ts'
import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import type { McpServerObject, McpTool } from '#schemas/crds/mcp-server.ts'
import { McpToolBinding } from '#schemas/crds/mcp-tool-binding.ts'
import type { McpToolBindingObject } from '#schemas/crds/mcp-tool-binding.ts'
import { durationToMs } from '#schemas/values/duration.ts'
import { ToolRegistry } from '#schemas/crds/tool-registry.ts'
import type { ToolRegistryObject } from '#schemas/crds/tool-registry.ts'
import { mayRefer } from '#schemas/kinds/references.ts'
import { findServer } from '../bindings/reconcilers.ts'
import { acceptedTools, approvalHolder, selectTools } from '../bindings/select-tools.ts'
import { nameTools } from './tool-names.ts'

/** A tool that an agent may call. */
export interface BoundTool {
  /** Name for the agent and its model. */
  readonly name: string
  readonly tool: McpTool
  readonly bindingUid: string
  readonly server: McpServerObject
  /** Digest of the accepted manifest that has the tool. */
  readonly digest: string
  readonly requiresApproval: boolean
  /** The binding or the agent (`namespace/name`) that asks for the approval. */
  readonly approvalBy?: { readonly kind: string; readonly name: string }
  readonly timeoutMs: number
}

/** Why an entry of an agent provides no tools. */
export type MissingReason =
  | 'registry_missing'
  | 'binding_missing'
  | 'not_allowed'
  | 'server_missing'
  | 'no_accepted_tools'
  | 'too_many_tools'

/** Tools of an agent, and its entries without tools. */
export interface BoundTools {
  readonly tools: readonly BoundTool[]
  readonly missing: readonly { readonly entry: string; readonly reason: MissingReason }[]
}

/** Returns the tools that the bindings of an agent currently provide. */
export type FindBoundTools = (agent: CallingAgent) => Promise<BoundTools>

type Entry = NonNullable<AgentDeploymentSpec['tools']>[number]
type Found = readonly Omit<BoundTool, 'name'>[] | MissingReason

interface NamedTarget {
  readonly namespace: string
  readonly name: string
}

/** Tools of one binding. An entry with a registry has several, whose tool names include the binding. */
interface Part {
  readonly entry: string
  readonly found: Found
}

const DEFAULT_TIMEOUT_MS = 60_000
// Launchers read them in one response, and a manifest may have 256 KiB.
const MAX_TOOLS = 1_024
const MAX_BYTES = 4 * 1024 * 1024

/** Creates the look-up. Bindings and servers are cached for `ttlMs`, so that a burst of calls reads them once. */
export function createFindBoundTools(cluster: Pick<KubeClient, 'get'>, ttlMs = 2_000): FindBoundTools {
  const bindings = createTtlCache<McpToolBindingObject | undefined>(ttlMs)
  const servers = createTtlCache<McpServerObject | undefined>(ttlMs)
  const registries = createTtlCache<ToolRegistryObject | undefined>(ttlMs)
  const find = async (agent: CallingAgent, entry: Entry, { namespace, name }: NamedTarget): Promise<Found> => {
    const binding = await bindings(`${namespace}/${name}`, () =>
      findNamedObject<McpToolBindingObject>(cluster, McpToolBinding, { namespace, name }),
    )
    if (binding === undefined) return 'binding_missing'
    if (!mayRefer(agent.namespace, namespace, binding.spec.allowedNamespaces)) return 'not_allowed'
    const server = await servers(`${namespace}/${binding.spec.serverRef.name}`, () => findServer(cluster, binding))
    return server === undefined ? 'server_missing' : toolsOf(agent, entry, binding, server)
  }
  const findOfRegistry = async (agent: CallingAgent, entry: Entry, target: NamedTarget): Promise<readonly Part[]> => {
    const { namespace, name } = target
    const registry = await registries(`${namespace}/${name}`, () =>
      findNamedObject<ToolRegistryObject>(cluster, ToolRegistry, { namespace, name }),
    )
    if (registry === undefined) return [{ entry: entry.name, found: 'registry_missing' }]
    if (!mayRefer(agent.namespace, namespace, registry.spec.allowedNamespaces))
      return [{ entry: entry.name, found: 'not_allowed' }]
    return Promise.all(
      registry.spec.bindings.map(async (binding) => ({
        entry: `${entry.name}_${binding.name}`,
        found: await find(agent, entry, { namespace, name: binding.name }),
      })),
    )
  }
  return async (agent) => {
    const found = await Promise.all(
      (agent.spec.tools ?? []).map(async (entry): Promise<readonly Part[]> => {
        const { name, bindingRef, registryRef } = entry
        if (bindingRef !== undefined)
          return [{ entry: name, found: await find(agent, entry, { namespace: agent.namespace, ...bindingRef }) }]
        if (registryRef === undefined) return []
        return findOfRegistry(agent, entry, { namespace: agent.namespace, ...registryRef })
      }),
    )
    return toBoundTools(found.flat())
  }
}

function toolsOf(agent: CallingAgent, entry: Entry, binding: McpToolBindingObject, server: McpServerObject): Found {
  const { metadata, spec } = binding
  const accepted = acceptedTools(server)
  if (accepted.length === 0) return 'no_accepted_tools'
  const digest = server.status?.manifestDigest ?? ''
  const timeoutMs = durationToMs(spec.timeout ?? '') ?? DEFAULT_TIMEOUT_MS
  const common = { bindingUid: metadata.uid ?? '', server, digest, timeoutMs }
  const holders = [
    { kind: 'McpToolBinding', name: `${metadata.namespace ?? ''}/${metadata.name}` },
    { kind: 'AgentDeployment', name: `${agent.namespace}/${agent.name}` },
  ]
  return selectTools(accepted, [spec, entry]).map((one) => {
    const approvalBy = holders[approvalHolder(one.tool, [spec, entry])]
    return { ...one, ...common, ...(approvalBy === undefined ? {} : { approvalBy }) }
  })
}

// A manifest may have 256 KiB, and each call needs the sizes of its tools. Tools are never changed in place.
const sizes = new WeakMap<McpTool, number>()

function sizeOf(tool: McpTool): number {
  const known = sizes.get(tool) ?? Buffer.byteLength(JSON.stringify(tool))
  sizes.set(tool, known)
  return known
}

// An entry that would exceed the limits is omitted as a whole, so that no entry is truncated arbitrarily.
function toBoundTools(found: readonly Part[]): BoundTools {
  const kept: { readonly entry: string; readonly one: Omit<BoundTool, 'name'> }[] = []
  const missing: { entry: string; reason: MissingReason }[] = []
  let bytes = 0
  for (const { entry, found: tools } of found) {
    if (typeof tools === 'string') {
      missing.push({ entry, reason: tools })
      continue
    }
    const size = tools.reduce((sum, { tool }) => sum + sizeOf(tool), 0)
    if (kept.length + tools.length > MAX_TOOLS || bytes + size > MAX_BYTES) {
      missing.push({ entry, reason: 'too_many_tools' })
      continue
    }
    bytes += size
    kept.push(...tools.map((one) => ({ entry, one })))
  }
  const names = nameTools(kept.map(({ entry, one }) => ({ entry, tool: one.tool.name })))
  return { tools: kept.map(({ one }, index) => ({ ...one, name: names[index] ?? '' })), missing }
}
