import type { Core } from '#core/plugin/core-services.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { RunList } from '#schemas/api/runs.ts'
import { AgentRunsQuery, RunListQuery } from '#schemas/api/run-requests.ts'
import type { CallerRunsServices } from '../services/create-services.ts'
import { listRunsFor } from '../read/list-runs.ts'

/** Lists of runs: of a namespace or the cluster, and of one agent. */
export function listEndpoints(
  { runs }: Pick<CallerRunsServices, 'runs'>,
  { observed }: Pick<Core, 'observed'>,
): readonly AnyEndpoint[] {
  const list = endpoint({
    method: 'GET',
    url: '/runs',
    id: 'listRuns',
    summary:
      'List runs, newest first. Without a namespace, for the whole cluster; with scope=permitted, for the namespaces that the caller may see.',
    // The handler does the access review: with `scope=permitted` there is one per namespace.
    authz: { kind: 'row', verb: 'list', resource: 'runs' },
    query: RunListQuery,
    response: { 200: RunList },
    handle: (call) => listRunsFor(runs, call),
  })
  const ofAgent = endpoint({
    method: 'GET',
    url: '/agents/:ns/:name/runs',
    id: 'listAgentRuns',
    summary: 'List the runs of an agent, newest first.',
    authz: { kind: 'review', verb: 'list', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
    query: AgentRunsQuery,
    response: { 200: RunList },
    handle: async (call) => {
      const { access, params } = call
      // By uid: a re-created agent inherits no runs.
      const agent = await observed.find('AgentDeployment', params.ns, params.name)
      if (!agent) throw new Fail('not_found')
      return listRunsFor(runs, call, { uid: agent.uid, access })
    },
  })
  return [list, ofAgent]
}
