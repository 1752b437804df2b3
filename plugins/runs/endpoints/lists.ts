import type { BffContext } from '#core/plugin/role-contexts.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { AgentRunsQuery, RunList, RunListQuery } from '#schemas/api/runs.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { CallerRunsServices } from '../services.ts'
import { listNamespace, listPermittedRuns } from '../read/list-runs.ts'

/** Lists of runs: of a namespace or the cluster, and of one agent. */
export function listEndpoints(
  { runs }: Pick<CallerRunsServices, 'runs'>,
  bff: Pick<BffContext, 'directory' | 'observed'>,
): readonly AnyEndpoint[] {
  const list = endpoint({
    method: 'GET',
    url: '/runs',
    id: 'listRuns',
    summary:
      'List runs, newest first. Without a namespace the whole cluster; scope=permitted walks what the caller may see.',
    // The handler makes the review: with scope=permitted there is one per namespace.
    authz: { kind: 'row', verb: 'list', resource: 'runs' },
    query: RunListQuery,
    response: { 200: RunList },
    handle: async ({ caller, query, cursors, directory }) => {
      const { namespace, scope, ...rest } = query
      if (scope === 'permitted')
        return listPermittedRuns({ runs, query: rest, cursors }, caller, directory ?? bff.directory)
      const access = await caller.review('list', 'runs', {
        namespace: namespace ? parseLabel('?namespace', namespace) : '',
      })
      return listNamespace({ runs, query: rest, cursors }, access)
    },
  })
  const ofAgent = endpoint({
    method: 'GET',
    url: '/agents/:ns/:name/runs',
    id: 'listAgentRuns',
    summary: 'List the runs of an agent, newest first.',
    authz: { kind: 'review', verb: 'list', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
    query: AgentRunsQuery,
    response: { 200: RunList },
    handle: async ({ access, params, query, cursors }) => {
      // By uid: a re-created agent inherits no runs.
      const agent = await bff.observed.find('AgentDeployment', params.ns, params.name)
      if (!agent) throw new Fail('not_found')
      return listNamespace({ runs, query, cursors }, access, agent.uid)
    },
  })
  return [list, ofAgent]
}
