import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { isUnchanged, readIfMatch, setEtag } from '#core/http/reply/etag.ts'
import { isStatus } from '#core/kube/status.ts'
import { DryRunQuery } from '#schemas/api/agents.ts'
import { TracePolicyConfig } from '#schemas/api/traces.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { FIELD_MANAGER } from '#schemas/names/group.ts'
import { findPatternProblem } from '../spans/trace-policy.ts'

// A PUT replaces the policy, so absent fields are removed.
const absent = { capture: null, redact: null, sampleRate: null }

const examples = {
  full: {
    summary: 'Capture prompts without addresses, of every tenth trace',
    value: { tracePolicy: { capture: 'full', redact: ['email', 'CUST-[0-9]{6}'], sampleRate: 0.1 } },
  },
  remove: { summary: 'Names, times and counts of every trace', value: { tracePolicy: null } },
}

/** `spec.tracePolicy` of an agent, read and written with the caller's rights. */
export const tracePolicyEndpoints: readonly AnyEndpoint[] = [
  endpoint({
    method: 'GET',
    url: '/agents/:ns/:name/tracepolicy',
    id: 'getAgentTracePolicy',
    docs: { reads: ['If-None-Match'], sends: ['ETag'] },
    summary: 'Get the trace policy of an agent, as its spec configures it.',
    authz: { kind: 'kube', verb: 'get', resource: 'agentdeployments' },
    response: { 200: TracePolicyConfig },
    handle: async ({ caller, params: { ns: namespace, name }, headers, reply, signal }) => {
      const ref = { namespace, name }
      const agent = await caller.cluster.get<AgentDeploymentObject>(AgentDeployment, ref, { signal })
      setEtag(reply, agent)
      if (!isUnchanged(headers['if-none-match'], agent)) return toConfig(agent)
      reply.code(304)
      return undefined
    },
  }),
  endpoint({
    method: 'PUT',
    url: '/agents/:ns/:name/tracepolicy',
    id: 'setAgentTracePolicy',
    docs: { reads: ['If-Match'], sends: ['ETag'], examples },
    summary: 'Set the trace policy of an agent; null removes it. The pods of the agent are replaced.',
    authz: { kind: 'kube', verb: 'patch', resource: 'agentdeployments' },
    audit: { action: 'update', resourceKind: 'AgentDeployment' },
    query: DryRunQuery,
    body: TracePolicyConfig,
    response: { 200: TracePolicyConfig },
    handle: async ({ caller, params: { ns: namespace, name }, headers, body, query, reply, signal }) => {
      refusePatterns(body.tracePolicy)
      const patch = { type: 'merge', body: toPolicyPatch(body.tracePolicy, readIfMatch(headers['if-match'])) } as const
      const options = { signal, dryRun: query.dryRun === 'All', fieldManager: FIELD_MANAGER }
      const ref = { namespace, name }
      const agent = await caller.cluster
        .patch<AgentDeploymentObject>(AgentDeployment, ref, patch, options)
        .catch((error: unknown) => {
          throw isStatus(error, 409) ? new Fail('precondition_failed') : error
        })
      setEtag(reply, agent)
      return toConfig(agent)
    },
  }),
]

type Policy = NonNullable<AgentDeploymentSpec['tracePolicy']>

function refusePatterns(policy: Policy | null): void {
  const problem = findPatternProblem(policy?.redact)
  if (problem === undefined) return
  const errors = [{ pointer: `/tracePolicy/redact/${problem.index}`, detail: problem.detail }]
  throw new Fail('invalid_body', undefined, { errors })
}

/** A merge patch that replaces the policy, or removes it; with a version, only if the agent has this version. Pure. */
export function toPolicyPatch(policy: Policy | null, version: string | undefined): object {
  return {
    ...(version === undefined ? {} : { metadata: { resourceVersion: version } }),
    spec: { tracePolicy: policy === null ? null : { ...absent, ...policy } },
  }
}

function toConfig({ spec }: AgentDeploymentObject) {
  return { tracePolicy: spec.tracePolicy ?? null }
}
