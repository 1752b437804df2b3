import type { Static } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { expandAgentConfig } from '#schemas/agent-file/expand-agent-file.ts'
import type { ExpandedAgentFile } from '#schemas/agent-file/expand-agent-file.ts'
import type { ExpandedDocument } from '#schemas/agent-file/to-documents.ts'
import { AgentFileError } from '#schemas/agent-file/problem.ts'
import type { CreateAgentBody } from '#schemas/api/agents.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentSpec, AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { agentErrors } from '../contract/errors.ts'

type NewAgentBody = Static<typeof CreateAgentBody>

const OBJECT_FIELDS = ['apiVersion', 'kind', 'metadata', 'spec', 'status'] as const

/** The AgentDeployment of a body: an object, or `{namespace, config}`; `given` is the namespace of the query. Throws `invalid_body`, `invalid_agent_file` or `InvalidName`. */
export function toNewAgent(body: NewAgentBody, given?: DnsLabel): AgentDeploymentObject {
  const agent = body.config === undefined ? fromObject(body, given) : fromConfig(body, body.config, given)
  if (given !== undefined && agent.metadata.namespace !== given)
    throw invalid(body.config === undefined ? '/metadata/namespace' : '/namespace', 'differs from ?namespace')
  parseName('/metadata/name', agent.metadata.name)
  parseLabel('/metadata/namespace', agent.metadata.namespace ?? '')
  return agent
}

function fromObject(body: NewAgentBody, given: DnsLabel | undefined): AgentDeploymentObject {
  const { apiVersion, kind, metadata, spec } = body
  if (body.namespace !== undefined) throw invalid('/namespace', 'is for config only: an object has metadata.namespace')
  if (metadata === undefined) throw invalid('/metadata', 'is required, or config')
  if (spec === undefined) throw invalid('/spec', 'is required')
  if ((apiVersion ?? AgentDeployment.apiVersion) !== AgentDeployment.apiVersion) {
    throw invalid('/apiVersion', `must be ${AgentDeployment.apiVersion}`)
  }
  if ((kind ?? AgentDeployment.kind) !== AgentDeployment.kind) throw invalid('/kind', `must be ${AgentDeployment.kind}`)
  const { name, namespace = given } = metadata
  if (typeof name !== 'string') throw invalid('/metadata/name', 'must be a string')
  if (typeof namespace !== 'string') throw invalid('/metadata/namespace', 'must be a string')
  // The cluster validates the rest of metadata and the spec (fieldValidation=Strict).
  return AgentDeployment.object({ metadata: { ...metadata, name, namespace }, spec: spec as AgentDeploymentSpec })
}

function fromConfig(
  body: NewAgentBody,
  config: Record<string, unknown>,
  given: DnsLabel | undefined,
): AgentDeploymentObject {
  const extra = OBJECT_FIELDS.find((field) => body[field] !== undefined)
  if (extra !== undefined) throw invalid(`/${extra}`, 'excludes config')
  const agent = onlyAgent(expandConfig(config))
  const { namespace: inside, ...metadata } = agent.metadata
  if (inside !== undefined && body.namespace !== undefined && inside !== body.namespace) {
    throw invalid('/config/namespace', 'differs from namespace')
  }
  const namespace = body.namespace ?? inside ?? given
  if (namespace === undefined) throw invalid('/namespace', 'is required')
  return AgentDeployment.object({ metadata: { ...metadata, namespace }, spec: agent.spec as AgentDeploymentSpec })
}

/** The agent of an expanded document; a document with text for a managed prompt is `not_wired`. */
export function onlyAgent({ documents: [agent, prompt] }: ExpandedAgentFile): ExpandedDocument {
  if (agent === undefined) throw invalid('/config', 'has no agent')
  if (prompt !== undefined)
    throw new Fail('not_wired', 'Managed prompts are not configured on this installation: use systemPrompt.')
  return agent
}

/** Expands a config; its problems become the errors of a 400. */
export function expandConfig(config: unknown): ExpandedAgentFile {
  try {
    return expandAgentConfig(config)
  } catch (error) {
    if (!(error instanceof AgentFileError)) throw error
    const errors = error.problems.map(({ pointer, message }) => ({ pointer: `/config${pointer}`, detail: message }))
    throw new Fail(agentErrors.invalid_agent_file, error.message, { errors })
  }
}

function invalid(pointer: string, detail: string): Fail {
  return new Fail('invalid_body', undefined, { errors: [{ pointer, detail }] })
}
