import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import {
  Agent,
  AgentDiff,
  AgentVersionList,
  DiffQuery,
  ObjectWriteQuery,
  LogsQuery,
  RollbackBody,
} from '#schemas/api/agents.ts'
import { plainText } from '#schemas/api/common.ts'
import type { AgentEndpointServices } from '../services/create-services.ts'
import { readLogs } from '../versions/logs.ts'
import { diffSpecs, readRevisions, shownSpecAt, toVersions } from '../versions/revisions.ts'
import { rollBack } from '../versions/rollback.ts'
import { examples, stored } from './examples.ts'

const path = '/agents/:ns/:name'

/** Versions, diff, rollback and logs of one agent. */
export function versionEndpoints(agents: AgentEndpointServices): AnyEndpoint[] {
  return [versions(agents), diff, rollback, logs(agents)]
}

function versions({ evalGate }: Pick<AgentEndpointServices, 'evalGate'>): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: `${path}/versions`,
    id: 'listAgentVersions',
    summary: 'List the versions of an agent, newest first.',
    authz: { kind: 'kube', verb: 'list', resource: 'controllerrevisions.apps' },
    response: { 200: AgentVersionList },
    handle: async ({ caller, params, signal }) => {
      const { agent, revisions } = await readRevisions(caller, { namespace: params.ns, name: params.name }, signal)
      return { items: toVersions(agent, revisions, await evalGate()?.overridesOf(caller, agent)), nextCursor: null }
    },
  })
}

const diff = endpoint({
  method: 'GET',
  url: `${path}/versions/diff`,
  id: 'diffAgentVersions',
  summary: 'Diff two versions of an agent: an RFC 6902 patch, and the same by section.',
  authz: { kind: 'kube', verb: 'list', resource: 'controllerrevisions.apps' },
  query: DiffQuery,
  response: { 200: AgentDiff },
  handle: async ({ caller, params, query, signal }) => {
    const { agent, revisions } = await readRevisions(caller, { namespace: params.ns, name: params.name }, signal)
    const { from, to = 'current' } = query
    return { from, to, ...diffSpecs(shownSpecAt(agent, revisions, from), shownSpecAt(agent, revisions, to)) }
  },
})

const rollback = endpoint({
  method: 'POST',
  url: `${path}/rollback`,
  id: 'rollBackAgent',
  docs: { examples: examples.rollback, response: stored, sends: ['ETag'] },
  summary: 'Roll an agent back to the spec of an earlier version.',
  authz: { kind: 'kube', verb: 'patch', resource: 'agentdeployments' },
  audit: { action: 'rollback', resourceKind: 'AgentDeployment' },
  query: ObjectWriteQuery,
  body: RollbackBody,
  response: { 200: Agent },
  handle: async ({ caller, params, query, body, signal, reply }) => {
    const ref = { namespace: params.ns, name: params.name }
    const options = { dryRun: query.dryRun === 'All', signal }
    const agent = await rollBack(caller, ref, body.revision, options)
    reply.header('etag', `"${agent.metadata.resourceVersion ?? ''}"`)
    return agent
  },
})

const logs = (agents: AgentEndpointServices): AnyEndpoint =>
  endpoint({
    method: 'GET',
    url: `${path}/logs`,
    id: 'getAgentLogs',
    summary: 'Get the log of the newest running pod of an agent, as text; chunked when following.',
    authz: { kind: 'kube', verb: 'get', resource: 'pods/log' },
    query: LogsQuery,
    response: { 200: plainText },
    stream: true,
    handle: async ({ caller, params, query, signal, reply }) => {
      const ref = { namespace: params.ns, name: params.name }
      const stream = await readLogs(caller, ref, query, { now: agents.now(), signal })
      reply.header('content-type', 'text/plain; charset=utf-8')
      return stream
    },
  })
