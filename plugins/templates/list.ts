import type { Static } from 'typebox'
import type { Call } from '#core/http/endpoint.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { TemplateListQuery } from '#schemas/api/templates.ts'
import { AgentTemplate } from '#schemas/crds/agent-template.ts'
import type { AgentTemplateObject } from '#schemas/crds/agent-template.ts'

type ListCall = Call<unknown, Static<typeof TemplateListQuery>, unknown>

/** Where the next page starts: inside a namespace (or the cluster) by the API server's token, or after a namespace. */
interface Position {
  namespace?: DnsLabel
  continue?: string
}

interface Page {
  items: readonly AgentTemplateObject[]
  next: Position | undefined
}

/** A page of templates. With `kind` a page may hold fewer than `limit`, since what a template is for is no selector of the cluster. */
export async function listTemplates(call: ListCall) {
  const { cursor, namespace: named, kind, scope } = call.query
  const filter = { named, kind, scope }
  const position = cursor === undefined ? {} : (call.cursors.open(cursor, filter) as Position)
  const namespace = named === undefined || named === '' ? undefined : parseLabel('?namespace', named)
  const isWalk = scope === 'permitted' && namespace === undefined && call.directory !== undefined
  const page = isWalk ? await walk(call, position) : await list(call, namespace, position)
  const items = kind === undefined ? page.items : page.items.filter((item) => (item.spec.for ?? 'agent') === kind)
  const nextCursor = page.next === undefined ? null : call.cursors.seal(page.next, filter)
  return { items, nextCursor, ...(isWalk ? { scope } : {}) }
}

async function list(call: ListCall, namespace: DnsLabel | undefined, position: Position): Promise<Page> {
  const page = await read(call, { ...(namespace === undefined ? {} : { namespace }), ...position }, pageSize(call))
  return { items: page.items, next: page.token === undefined ? undefined : { continue: page.token } }
}

// Namespace by namespace in name order, each reviewed as the caller; a namespace larger than the page goes on in the next.
async function walk(call: ListCall, position: Position): Promise<Page> {
  const limit = pageSize(call)
  const items: AgentTemplateObject[] = []
  let next: Position | undefined
  const take = async (from: Position): Promise<'more' | 'full'> => {
    const page = await read(call, from, limit - items.length)
    items.push(...page.items)
    if (page.token !== undefined) next = { ...from, continue: page.token }
    else if (items.length >= limit && from.namespace !== undefined) next = { namespace: from.namespace }
    return next === undefined ? 'more' : 'full'
  }
  if (position.continue !== undefined && (await take(position)) === 'full') return { items, next }
  await call.directory?.permitted(call.caller, 'list', AgentTemplate.plural, position.namespace ?? '', (access) =>
    take(access.namespace === '' ? {} : { namespace: access.namespace }),
  )
  return { items, next }
}

async function read(call: ListCall, from: Position, limit: number) {
  const objects = await call.caller.cluster.list<AgentTemplateObject>(AgentTemplate, {
    ...from,
    limit,
    signal: call.signal,
  })
  return { items: objects.items, token: objects.continue }
}

function pageSize(call: ListCall): number {
  return call.query.limit ?? 50
}
