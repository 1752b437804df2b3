import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { storedExample } from '#core/http/resource/resource-example.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { DryRunQuery, ObjectWriteQuery } from '#schemas/api/agents.ts'
import { PublishBody } from '#schemas/api/agent-authoring.ts'
import {
  CreateTemplateBody,
  RecipeList,
  Template,
  TemplateList,
  TemplateListQuery,
  TemplateParams,
} from '#schemas/api/templates.ts'
import { nothing } from '#schemas/api/common.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AgentTemplate } from '#schemas/crds/agent-template.ts'
import type { AgentTemplateObject } from '#schemas/crds/agent-template.ts'
import { FIELD_MANAGER } from '#schemas/names/group.ts'
import { listTemplates } from './list-templates.ts'
import { toNewTemplate, toPublished } from './new-template.ts'
import { recipes } from './recipes.ts'

/** Every route of the plugin, below `/api`. */
export function templateEndpoints(): readonly AnyEndpoint[] {
  return [list, create, remove, publish, listRecipes]
}

const audit = { resourceKind: 'AgentTemplate' }

const examples = {
  create: {
    greeter: {
      summary: 'A template of an agent',
      value: {
        metadata: { name: 'greeter', namespace: 'demo' },
        spec: { title: 'Greeter', template: { spec: { model: { route: 'mock' } } } },
      },
    },
  },
  publish: { named: { summary: 'With a title and tags', value: { title: 'Greeter', tags: ['start'] } } },
}

const stored = storedExample(AgentTemplate, examples.create)

const list = endpoint({
  method: 'GET',
  url: '/templates',
  id: 'listTemplates',
  summary: 'List the templates of the catalog.',
  docs: { response: { items: [stored], nextCursor: null } },
  authz: { kind: 'kube', verb: 'list', resource: 'agenttemplates' },
  query: TemplateListQuery,
  response: { 200: TemplateList },
  handle: async (call) => listTemplates(call),
})

const create = endpoint({
  method: 'POST',
  url: '/templates',
  id: 'createTemplate',
  docs: { examples: examples.create, response: stored, sends: ['ETag'] },
  summary: 'Create a template.',
  authz: { kind: 'kube', verb: 'create', resource: 'agenttemplates' },
  audit: { action: 'create', ...audit },
  query: ObjectWriteQuery,
  body: CreateTemplateBody,
  response: { 201: Template },
  handle: async ({ caller, query, body, signal, reply }) => {
    const options = { dryRun: query.dryRun === 'All', signal, fieldManager: FIELD_MANAGER }
    const made = await caller.cluster.create<AgentTemplateObject>(AgentTemplate, toNewTemplate(body), options)
    reply.headers(headersOf(made))
    return made
  },
})

const remove = endpoint({
  method: 'DELETE',
  url: '/templates/:kind/:namespace/:name',
  id: 'deleteTemplate',
  summary: 'Delete a template; kind is what it is for.',
  authz: { kind: 'kube', verb: 'delete', resource: 'agenttemplates' },
  audit: { action: 'delete', ...audit },
  params: TemplateParams,
  query: DryRunQuery,
  response: { 204: nothing },
  handle: async ({ caller, params, query, signal }) => {
    const ref = { namespace: params.namespace, name: params.name }
    const found = await caller.cluster.get<AgentTemplateObject>(AgentTemplate, ref, { signal })
    if ((found.spec.for ?? 'agent') !== params.kind)
      throw new Fail('not_found', `The template is not for ${params.kind}.`)
    // By uid, so that only the object that was read is deleted.
    const { uid } = found.metadata
    const preconditions = uid === undefined ? {} : { preconditions: { uid } }
    await caller.cluster.delete(AgentTemplate, ref, { ...preconditions, dryRun: query.dryRun === 'All', signal })
  },
})

const publish = endpoint({
  method: 'POST',
  url: '/agents/:ns/:name/publish',
  id: 'publishAgent',
  docs: { examples: examples.publish, response: stored, sends: ['ETag'] },
  summary: 'Publish an agent as a template.',
  authz: { kind: 'kube', verb: 'create', resource: 'agenttemplates' },
  audit: { action: 'publish', ...audit },
  query: ObjectWriteQuery,
  body: PublishBody,
  response: { 201: Template },
  handle: async ({ caller, params, query, body, signal, reply }) => {
    const name = parseName('/name', body.name ?? params.name)
    const namespace = parseLabel('/namespace', body.namespace ?? params.ns)
    const origin = { namespace: params.ns, name: params.name }
    const agent = await caller.cluster.get<AgentDeploymentObject>(AgentDeployment, origin, { signal })
    const template = toPublished(agent, { ...body, name, namespace })
    const options = { dryRun: query.dryRun === 'All', signal, fieldManager: FIELD_MANAGER }
    const made = await caller.cluster.create<AgentTemplateObject>(AgentTemplate, template, options)
    reply.headers(headersOf(made))
    return made
  },
})

const listRecipes = endpoint({
  method: 'GET',
  url: '/recipes',
  id: 'listRecipes',
  summary: 'List recipes: starter agents that run without further setup.',
  authz: { kind: 'bearer' },
  response: { 200: RecipeList },
  handle: async () => ({ items: recipes, nextCursor: null }),
})

function headersOf({ metadata, spec }: AgentTemplateObject): Record<string, string> {
  return {
    location: `/api/templates/${spec.for ?? 'agent'}/${metadata.namespace ?? ''}/${metadata.name}`,
    ...(metadata.resourceVersion === undefined ? {} : { etag: `"${metadata.resourceVersion}"` }),
  }
}
