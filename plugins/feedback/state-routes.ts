import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { runs } from '#plugins/runs/index.ts'
import { stateRoute } from '#core/http/endpoint/state-route.ts'
import { score } from './contract/wire.ts'
import { recordScore, toReference } from './record-score.ts'
import type { FeedbackServices } from './services.ts'

/** Route of the state role: a launcher forwards its agent's score of its own run. */
export function feedbackStateRoutes(services: FeedbackServices, state: StateContext): readonly AnyEndpoint[] {
  const system = state.system(runs)
  const record = endpoint({
    ...stateRoute(score),
    summary: 'Score a run of the agent whose pod calls.',
    authz: { kind: 'agent' },
    bodyLimit: 64 * 1024,
    idempotent: true,
    handle: async ({ access: { agent }, body, idempotency }) => {
      // By uid: a re-created agent does not score the runs of its predecessor.
      const run = await system.runOf(agent.uid, toReference(body))
      if (run === undefined) throw new Fail('not_found')
      const author = agent.account.username
      return { id: await recordScore(services, { run, request: body, source: 'agent', author, idempotency }) }
    },
  })
  return [record]
}
