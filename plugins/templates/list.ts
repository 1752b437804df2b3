import type { Static } from 'typebox'
import type { Call } from '#core/http/endpoint.ts'
import { listObjects } from '#core/http/resource-list.ts'
import type { TemplateListQuery } from '#schemas/api/templates.ts'
import { AgentTemplate } from '#schemas/crds/agent-template.ts'
import type { AgentTemplateObject } from '#schemas/crds/agent-template.ts'

type ListCall = Call<unknown, Static<typeof TemplateListQuery>, unknown>

interface Page {
  items: AgentTemplateObject[]
}

/** A page of templates. With `kind` a page may hold fewer than `limit`, since what a template is for is no selector of the cluster. */
export async function listTemplates(call: ListCall): Promise<unknown> {
  const page = await listObjects(AgentTemplate, call)
  const { kind } = call.query
  if (kind === undefined) return page
  const whole = (Buffer.isBuffer(page) ? JSON.parse(page.toString('utf8')) : page) as Page
  return { ...whole, items: whole.items.filter((item) => (item.spec.for ?? 'agent') === kind) }
}
