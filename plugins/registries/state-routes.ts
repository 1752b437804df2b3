import { Type } from 'typebox'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { stateRoute } from '#core/http/endpoint/state-route.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import type { CertificateIssuer } from '#core/signing/launcher-certificate.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import { MAX_AMP_PAYLOAD } from '#schemas/launcher/envelope.ts'
import { startCalledRun, directory as peerDirectory, readCalledRun } from './contract/wire.ts'
import { readDirectory } from './calls/directory.ts'
import { startCall } from './calls/start-call.ts'

const authz = { kind: 'agent' } as const

/** Services of the routes. */
export interface StateRouteServices {
  readonly runs: RunsApi
  /** Issuer of the launchers' certificates. */
  readonly issuer: CertificateIssuer
}

/** Routes of the state role for launchers: the directory of callable agents, and the runs of calls. */
export function callEndpoints({ runs, issuer }: StateRouteServices, state: StateContext): readonly AnyEndpoint[] {
  const { cluster, endpoints } = state
  const directory = endpoint({
    ...stateRoute(peerDirectory),
    summary: 'Get the agents that the calling agent may call, and those that may call it.',
    authz,
    handle: async ({ access: { agent } }) => readDirectory({ cluster, endpoints }, agent),
  })
  const call = endpoint({
    ...stateRoute(startCalledRun),
    summary: 'Create the run of a call by another agent.',
    authz,
    // JSON writes a control character as six bytes.
    bodyLimit: 6 * MAX_AMP_PAYLOAD + 16 * 1024,
    handle: async ({ access: { agent }, body, headers }) => {
      const trace = parseTraceparent(headers['traceparent'])
      return startCall({ state, runs, issuer }, agent, { ...body, trace })
    },
  })
  const wait = endpoint({
    ...stateRoute(readCalledRun),
    summary: 'Get the run of a call; `wait` is the longest time to wait for its end, in seconds.',
    authz,
    params: Type.Object({ id: Type.String() }),
    query: Type.Object({ wait: Type.Optional(Type.Number()) }),
    handle: async ({ access: { agent }, params, query: { wait: seconds = 0 } }) =>
      runs.readPeer(state, agent, params.id, Math.min(Math.max(seconds, 0), 30) * 1000),
  })
  return [directory, call, wait]
}
