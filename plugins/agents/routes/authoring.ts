import { Type } from 'typebox'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import {
  Agent,
  CreatedAgents,
  CreateAgentBody,
  CreateAgentQuery,
  ForkBody,
  ObjectWriteQuery,
} from '#schemas/api/agents.ts'
import { ExpandResponse, ExpandBody, GenerateResponse, GenerateBody, RefineBody } from '#schemas/api/agent-authoring.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AgentEndpointServices } from '../services/create-services.ts'
import { expandFile, readAgentFile } from '../authoring/read-agent-file.ts'
import { createAuthored } from '../authoring/create-authored.ts'
import { createFromFile } from '../authoring/create-from-file.ts'
import { toFork } from '../authoring/fork.ts'
import { generateFor } from '../generate/generate-for.ts'
import { expandConfig, toNewAgent } from '../authoring/new-agent.ts'
import { examples, stored } from './examples.ts'

/** Authoring of agents: create, fork, expand, generate, refine. */
export function authoringEndpoints(agents: AgentEndpointServices): AnyEndpoint[] {
  return [create(agents), fork(agents), expand, generate(agents), refine(agents)]
}

const create = (agents: AgentEndpointServices): AnyEndpoint =>
  endpoint({
    method: 'POST',
    url: '/agents',
    id: 'createAgent',
    docs: { examples: examples.create, response: stored, sends: ['ETag'] },
    summary:
      'Create an agent from an object, from {namespace, config} in the simplified format, or agents from a YAML file.',
    authz: { kind: 'kube', verb: 'create', resource: 'agentdeployments' },
    audit: { action: 'create', resourceKind: 'AgentDeployment' },
    query: CreateAgentQuery,
    body: CreateAgentBody,
    response: { 201: Type.Union([Agent, CreatedAgents]) },
    handle: async ({ caller, query, body, signal, reply }) => {
      const authored = toNewAgent(body, namespaceOf(query))
      const made = await createAuthored(agents.documents, caller, authored, { dryRun: query.dryRun === 'All', signal })
      reply.headers(headersOf(made))
      return made
    },
    handleYaml: async ({ caller, query, body, signal, reply }) => {
      const filed = readAgentFile(body, namespaceOf(query))
      const made = await createFromFile(agents.documents, caller, filed, { dryRun: query.dryRun === 'All', signal })
      const [first, ...more] = made
      if (first === undefined || more.length > 0) return { items: made }
      reply.headers(headersOf(first))
      return first
    },
  })

function namespaceOf({ namespace }: { readonly namespace?: string }): DnsLabel | undefined {
  return namespace === undefined || namespace === '' ? undefined : parseLabel('?namespace', namespace)
}

const fork = (agents: AgentEndpointServices): AnyEndpoint =>
  endpoint({
    method: 'POST',
    url: '/agents/:ns/:name/fork',
    id: 'forkAgent',
    docs: { examples: examples.fork, response: stored, sends: ['ETag'] },
    summary: 'Fork an agent: create another one with its spec.',
    authz: { kind: 'kube', verb: 'create', resource: 'agentdeployments' },
    audit: { action: 'fork', resourceKind: 'AgentDeployment' },
    query: ObjectWriteQuery,
    body: ForkBody,
    response: { 201: Agent },
    handle: async ({ caller, params, query, body, signal, reply }) => {
      const namespace = parseLabel('/namespace', body.namespace ?? params.ns)
      const name = parseName('/name', body.name)
      const ref = { namespace: params.ns, name: params.name }
      const origin = await caller.cluster.get<AgentDeploymentObject>(AgentDeployment, ref, { signal })
      const { overrides } = body
      const agent = toFork(origin, { name, namespace, ...(overrides === undefined ? {} : { overrides }) })
      const made = await createAuthored(
        agents.documents,
        caller,
        { agent, documents: [] },
        { dryRun: query.dryRun === 'All', signal },
      )
      reply.headers(headersOf(made))
      return made
    },
  })

const expand = endpoint({
  method: 'POST',
  url: '/expand',
  id: 'expandAgentConfig',
  docs: { examples: examples.expand },
  summary: 'Expand an agent config to Kubernetes documents; nothing is stored.',
  authz: { kind: 'bearer' },
  body: ExpandBody,
  response: { 200: ExpandResponse },
  handle: async ({ body: { config, source } }) => {
    if ((config === undefined) === (source === undefined)) {
      throw new Fail('invalid_body', undefined, {
        errors: [{ pointer: '', detail: 'exactly one of config and source is required' }],
      })
    }
    return source === undefined ? expandConfig(config) : expandFile(source)
  },
  handleYaml: async ({ body }) => expandFile(body),
})

const generate = (agents: AgentEndpointServices): AnyEndpoint =>
  endpoint({
    method: 'POST',
    url: '/agents/generate',
    id: 'generateAgentConfig',
    docs: { examples: examples.generate },
    summary: 'Generate an agent config from a description, with a model; nothing is stored.',
    authz: { kind: 'bearer' },
    audit: { action: 'generate', resourceKind: 'AgentDeployment' },
    body: GenerateBody,
    response: { 200: GenerateResponse },
    handle: async ({ caller, body, signal }) => generateFor(agents, caller, { ...body, signal }),
  })

const refine = (agents: AgentEndpointServices): AnyEndpoint =>
  endpoint({
    method: 'POST',
    url: '/agents/refine',
    id: 'refineAgentConfig',
    docs: { examples: examples.refine },
    summary: 'Refine an agent config as described, with a model; nothing is stored.',
    authz: { kind: 'bearer' },
    audit: { action: 'refine', resourceKind: 'AgentDeployment' },
    body: RefineBody,
    response: { 200: GenerateResponse },
    handle: async ({ caller, body: { config: base, instruction: prompt, ...body }, signal }) =>
      generateFor(agents, caller, { ...body, prompt, base, signal }),
  })

function headersOf({ metadata }: AgentDeploymentObject): Record<string, string> {
  return {
    location: `/api/agents/${metadata.namespace ?? ''}/${metadata.name}`,
    ...(metadata.resourceVersion === undefined ? {} : { etag: `"${metadata.resourceVersion}"` }),
  }
}
