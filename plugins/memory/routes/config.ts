import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint, Call } from '#core/http/endpoint/endpoint.ts'
import { isUnchanged, readIfMatch, setEtag } from '#core/http/reply/etag.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { DryRunQuery } from '#schemas/api/agents.ts'
import { LongTermMemoryConfig, SessionMemoryConfig } from '#schemas/api/memory.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { FIELD_MANAGER } from '#schemas/names/group.ts'

type Part = 'session' | 'longTerm'
type ConfigCall = Pick<Call<unknown, unknown, unknown>, 'caller' | 'headers' | 'reply' | 'signal'>

// Fields of each part: a PUT replaces it, so absent fields are removed.
const fields: Readonly<Record<Part, readonly string[]>> = {
  session: ['ttl', 'maxEntries'],
  longTerm: ['embeddingRoute', 'ttl', 'scope'],
}

const sessionExamples = {
  bind: { summary: 'Keep conversations for a week', value: { session: { ttl: '168h', maxEntries: 1_000 } } },
  remove: { summary: 'Remove it', value: { session: null } },
}
const longTermExamples = {
  bind: { summary: 'Keep items until they are removed', value: { longTerm: { scope: 'agent' } } },
  remove: { summary: 'Remove it', value: { longTerm: null } },
}

/** The parts of `spec.memory` of an agent, read and written with the caller's rights. */
export const configEndpoints: readonly AnyEndpoint[] = [
  endpoint({
    method: 'GET',
    url: '/agents/:ns/:name/sessionmemory',
    id: 'getAgentSessionMemory',
    docs: { reads: ['If-None-Match'], sends: ['ETag'] },
    summary: 'Get the session memory of an agent, as its spec configures it.',
    authz: { kind: 'kube', verb: 'get', resource: 'agentdeployments' },
    response: { 200: SessionMemoryConfig },
    handle: (call) => readPart(call, { namespace: call.params.ns, name: call.params.name }, 'session'),
  }),
  endpoint({
    method: 'PUT',
    url: '/agents/:ns/:name/sessionmemory',
    id: 'setAgentSessionMemory',
    docs: { reads: ['If-Match'], sends: ['ETag'], examples: sessionExamples },
    summary: 'Set the session memory of an agent; null removes it.',
    authz: { kind: 'kube', verb: 'patch', resource: 'agentdeployments' },
    audit: { action: 'update', resourceKind: 'AgentDeployment' },
    query: DryRunQuery,
    body: SessionMemoryConfig,
    response: { 200: SessionMemoryConfig },
    handle: (call) =>
      writePart(call, { namespace: call.params.ns, name: call.params.name }, 'session', {
        given: call.body.session,
        dryRun: call.query.dryRun === 'All',
      }),
  }),
  endpoint({
    method: 'GET',
    url: '/agents/:ns/:name/longtermmemory',
    id: 'getAgentLongTermMemory',
    docs: { reads: ['If-None-Match'], sends: ['ETag'] },
    summary: 'Get the long-term memory of an agent, as its spec configures it.',
    authz: { kind: 'kube', verb: 'get', resource: 'agentdeployments' },
    response: { 200: LongTermMemoryConfig },
    handle: (call) => readPart(call, { namespace: call.params.ns, name: call.params.name }, 'longTerm'),
  }),
  endpoint({
    method: 'PUT',
    url: '/agents/:ns/:name/longtermmemory',
    id: 'setAgentLongTermMemory',
    docs: { reads: ['If-Match'], sends: ['ETag'], examples: longTermExamples },
    summary: 'Set the long-term memory of an agent; null removes it.',
    authz: { kind: 'kube', verb: 'patch', resource: 'agentdeployments' },
    audit: { action: 'update', resourceKind: 'AgentDeployment' },
    query: DryRunQuery,
    body: LongTermMemoryConfig,
    response: { 200: LongTermMemoryConfig },
    handle: (call) =>
      writePart(call, { namespace: call.params.ns, name: call.params.name }, 'longTerm', {
        given: call.body.longTerm,
        dryRun: call.query.dryRun === 'All',
      }),
  }),
]

async function readPart(call: ConfigCall, ref: ObjectRef, part: Part) {
  const agent = await call.caller.cluster.get<AgentDeploymentObject>(AgentDeployment, ref, { signal: call.signal })
  setEtag(call.reply, agent)
  if (!isUnchanged(call.headers['if-none-match'], agent)) return toConfig(agent, part)
  call.reply.code(304)
  return undefined
}

async function writePart(
  call: ConfigCall,
  ref: ObjectRef,
  part: Part,
  { given, dryRun }: { readonly given: object | null; readonly dryRun: boolean },
) {
  const body = toMemoryPatch(part, given, readIfMatch(call.headers['if-match']))
  const options = { signal: call.signal, dryRun, fieldManager: FIELD_MANAGER }
  try {
    const patch = { type: 'merge', body } as const
    const agent = await call.caller.cluster.patch<AgentDeploymentObject>(AgentDeployment, ref, patch, options)
    setEtag(call.reply, agent)
    return toConfig(agent, part)
  } catch (error) {
    throw isStatus(error, 409) ? new Fail('precondition_failed') : error
  }
}

/** A merge patch that replaces one part of memory, or removes it if `given` is null; with a version, only if the agent has this version. Pure. */
export function toMemoryPatch(part: Part, given: object | null, version: string | undefined): object {
  const absent = Object.fromEntries(fields[part].map((field) => [field, null]))
  return {
    ...(version === undefined ? {} : { metadata: { resourceVersion: version } }),
    spec: { memory: { [part]: given === null ? null : { ...absent, ...given } } },
  }
}

function toConfig({ spec }: AgentDeploymentObject, part: Part) {
  return { [part]: spec.memory?.[part] ?? null }
}
