import type { Static } from 'typebox'
import type { Call } from '#core/http/endpoint/endpoint.ts'
import { JsonPieces } from '#core/http/reply/raw-list.ts'
import { DEFAULT_LIMIT, listObjects } from '#core/http/resource/resource-list.ts'
import type { TemplateListQuery } from '#schemas/api/templates.ts'
import { AgentTemplate } from '#schemas/crds/agent-template.ts'
import type { AgentTemplateObject } from '#schemas/crds/agent-template.ts'

type ListCall = Call<unknown, Static<typeof TemplateListQuery>, unknown>

interface Page {
  readonly items: readonly AgentTemplateObject[]
  readonly nextCursor: string | null
}

// A request must end, even if almost no template is of the kind. The cursor continues from there.
const mostReads = 20

/**
 * A page of templates. The cluster has no selector for the target kind of a template, so with `kind` pages of the cluster are read
 * until this page is full, twenty at most.
 */
export async function listTemplates(call: ListCall): Promise<unknown> {
  const { kind, limit = DEFAULT_LIMIT, cursor } = call.query
  if (kind === undefined) return listObjects(AgentTemplate, call)
  const items: AgentTemplateObject[] = []
  let from = cursor
  for (let reads = 1; ; reads++) {
    // At most the remaining number of items, since items beyond it would have no cursor.
    const room = limit - items.length
    const page = await readPage(call, room === 0 ? DEFAULT_LIMIT : room, from)
    const found = page.items.filter((item) => (item.spec.for ?? 'agent') === kind)
    // A full page reads on, since it has a cursor only if another template of the kind follows (CON8).
    if (room === 0 && found.length > 0) return { ...page, items, nextCursor: from ?? null }
    items.push(...found)
    if (page.nextCursor === null || reads === mostReads) return { ...page, items }
    from = page.nextCursor
  }
}

async function readPage(call: ListCall, limit: number, cursor: string | undefined): Promise<Page> {
  const { caller, cursors, directory, signal } = call
  const query = { ...call.query, limit, ...(cursor === undefined ? {} : { cursor }) }
  const page = await listObjects(AgentTemplate, { query, caller, cursors, directory, signal })
  return (page instanceof JsonPieces ? JSON.parse(String(page)) : page) as Page
}
