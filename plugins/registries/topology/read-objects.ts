import { mapConcurrently } from '#core/async/map-concurrently.ts'
import { isObject } from '#core/json/is-object.ts'
import { readObjects } from '#core/http/resource/resource-list.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { AgentReferences } from '#plugins/agents/contract/points.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import type { TypedObject } from '#schemas/kinds/object.ts'
import type { Reference } from '#schemas/kinds/references.ts'
import { findNodeKind, nodeName, otherKinds } from './graph-kinds.ts'
import type { GraphObject } from './graph-kinds.ts'

type ObjectsCall = Parameters<typeof readObjects>[1]

/** Objects of the graph, each with its references. */
export interface GraphObjects {
  readonly objects: readonly LinkedObject[]
  /** Whether some kind has more objects. */
  readonly isCut: boolean
}

/** An object with the references that the graph shows. */
export interface LinkedObject extends GraphObject {
  readonly references: readonly Reference[]
}

// Objects of a kind, and further objects that references name: a larger graph cannot be drawn.
const MOST = 500
const SERVERS_AT_ONCE = 20

/** Reads the objects as the caller. Kinds that the caller may not list are left out; agents are refused with the cluster's 403. */
export async function readGraphObjects(call: ObjectsCall, { collectShown }: AgentReferences): Promise<GraphObjects> {
  const agents = await listSlim(AgentDeployment, call)
  const others = await Promise.all(otherKinds.map((kind) => listOrNone(kind, call)))
  const link = (kind: AnyKind, object: KubeObject): LinkedObject => {
    const { namespace = '', name } = object.metadata
    const typed = object as TypedObject
    const references = collectShown(kind, typed).filter((one) => findNodeKind(one.kind) !== undefined)
    return { ...nodeName(kind.kind, namespace, name), object: typed, references }
  }
  const listed = [
    ...agents.items.map((agent) => link(AgentDeployment, agent)),
    ...others.flatMap(({ items }, index) => items.map((object) => link(otherKinds[index] ?? AgentDeployment, object))),
  ]
  const named = await readNamed(call, listed)
  const found = named.map((one) => {
    const kind = findNodeKind(one.kind)
    return one.object === undefined || kind === undefined ? { ...one, references: [] } : link(kind, one.object)
  })
  const isCut = [agents, ...others].some(({ nextCursor }) => nextCursor !== null)
  return { objects: [...listed, ...found], isCut }
}

interface KindObjects {
  readonly items: readonly KubeObject[]
  readonly nextCursor: string | null
}

async function listOrNone(kind: AnyKind, call: ObjectsCall): Promise<KindObjects> {
  try {
    return await listSlim(kind, call)
  } catch (error) {
    // A kind of a plugin that is not part of the installation does not exist.
    if (isStatus(error, 403) || isStatus(error, 404)) return { items: [], nextCursor: null }
    throw error
  }
}

// In pages, of which only the parts of nodes are kept: the status of a server has its manifest, of up to 256 KiB.
async function listSlim(kind: AnyKind, call: ObjectsCall): Promise<KindObjects> {
  const size = kind.kind === McpServer.kind ? SERVERS_AT_ONCE : MOST
  const items: KubeObject[] = []
  for (let cursor: string | undefined; ;) {
    const query = {
      ...call.query,
      limit: Math.min(size, MOST - items.length),
      ...(cursor === undefined ? {} : { cursor }),
    }
    const page = await readObjects<KubeObject>(kind, { ...call, query })
    items.push(...page.items.map(toSlim))
    if (page.nextCursor === null || items.length >= MOST) return { items, nextCursor: page.nextCursor }
    cursor = page.nextCursor
  }
}

function toSlim(object: KubeObject): KubeObject {
  const { kind, apiVersion, metadata, spec, status } = object
  return { kind, apiVersion, metadata, spec, status: { conditions: isObject(status) ? status.conditions : undefined } }
}

/** Reads what the objects refer to and what is in no list, such as in other namespaces. What the caller may not read is left out. */
async function readNamed(
  { caller, signal }: ObjectsCall,
  listed: readonly LinkedObject[],
): Promise<readonly GraphObject[]> {
  const known = new Set(listed.map(({ id }) => id))
  const wanted = new Map(
    listed
      .flatMap(({ references }) => references)
      // An agent that is only referenced is not a node: the edge shows it.
      .filter(({ kind }) => kind !== AgentDeployment.kind)
      .map(({ kind, namespace, name }) => nodeName(kind, namespace, name))
      .filter(({ id }) => !known.has(id))
      .map((one) => [one.id, one] as const),
  )
  const read = await mapConcurrently(
    [...wanted.values()].slice(0, MOST),
    async (one): Promise<readonly GraphObject[]> => {
      const { kind, namespace, name } = one
      const resource = findNodeKind(kind)
      if (resource === undefined || !isLabel(namespace) || !isName(name)) return [one]
      try {
        return [{ ...one, object: await caller.cluster.get<TypedObject>(resource, { namespace, name }, { signal }) }]
      } catch (error) {
        if (isStatus(error, 404)) return [one]
        if (isStatus(error, 403)) return []
        throw error
      }
    },
  )
  return read.flat()
}
