import { createHash } from 'node:crypto'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint, Idempotency } from '#core/http/endpoint/endpoint.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { runs } from '#plugins/runs/index.ts'
import { agentOfServiceAccount } from '#schemas/names/agent-names.ts'
import { FeedbackBody, Recorded } from '#schemas/api/feedback.ts'
import { recordScore, toReference } from './record-score.ts'
import type { FeedbackServices } from './services.ts'

/** Route of the state role: a launcher passes on what its agent says about a run of its own. */
export function feedbackStateRoutes(services: FeedbackServices, state: StateContext): readonly AnyEndpoint[] {
  const { core } = services
  const system = state.system(runs)
  const record = endpoint({
    method: 'POST',
    url: '/feedback',
    summary: 'Score a run of the agent whose pod calls.',
    authz: { kind: 'bearer' },
    body: FeedbackBody,
    bodyLimit: 64 * 1024,
    response: { 202: Recorded },
    handle: async ({ bearer, body, headers }) => {
      const pod = await state.authenticate(bearer, 'state')
      if (pod === undefined) throw new Fail('unauthenticated')
      const agent = agentOfServiceAccount(pod.username)
      const observed = agent && (await core.observed.find('AgentDeployment', agent.namespace, agent.name))
      // By uid: a re-created agent does not score the runs of the former one.
      const run = observed && (await system.runOf(observed.uid, toReference(body)))
      if (run === undefined) throw new Fail('not_found')
      const idempotency = toIdempotency(pod.username, headers['idempotency-key'], body)
      const author = pod.username
      return { id: await recordScore(services, { run, request: body, source: 'agent', author, idempotency }) }
    },
  })
  return [record]
}

function toIdempotency(account: string, key: string | undefined, body: object): Idempotency | undefined {
  if (key === undefined) return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new Fail('malformed_request', 'Idempotency-Key: must be 1 to 255 visible ASCII characters.')
  return { key: digest(['agent', account, key]), request: digest(body) }
}

function digest(value: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(value)).digest()
}
