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
import type { AgentDocument } from '../contract/points.ts'
import { agentErrors } from '../contract/errors.ts'

type NewAgentBody = Static<typeof CreateAgentBody>

/** An agent, and the documents of its file that are no objects of the cluster. */
export interface AuthoredAgent {
  readonly agent: AgentDeploymentObject
  readonly documents: readonly AgentDocument[]
}

const OBJECT_FIELDS = ['apiVersion', 'kind', 'metadata', 'spec', 'status'] as const

/** The AgentDeployment of a body: an object, or `{namespace, config}`; `given` is the namespace of the query. Throws `invalid_body`, `invalid_agent_file` or `InvalidName`. */
export function toNewAgent(body: NewAgentBody, given?: DnsLabel): AuthoredAgent {
  const { agent, documents } =
    body.config === undefined ? { agent: fromObject(body, given), documents: [] } : fromConfig(body, body.config, given)
  if (given !== undefined && agent.metadata.namespace !== given)
    throw invalid(body.config === undefined ? '/metadata/namespace' : '/namespace', 'differs from ?namespace')
  parseName('/metadata/name', agent.metadata.name)
  const namespace = parseLabel('/metadata/namespace', agent.metadata.namespace ?? '')
  return { agent, documents: documents.map((one) => toDocument(one, namespace)) }
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
): { readonly agent: AgentDeploymentObject; readonly documents: readonly ExpandedDocument[] } {
  const extra = OBJECT_FIELDS.find((field) => body[field] !== undefined)
  if (extra !== undefined) throw invalid(`/${extra}`, 'excludes config')
  const { agent, others } = splitDocuments(expandConfig(config))
  const { namespace: inside, ...metadata } = agent.metadata
  if (inside !== undefined && body.namespace !== undefined && inside !== body.namespace) {
    throw invalid('/config/namespace', 'differs from namespace')
  }
  const namespace = body.namespace ?? inside ?? given
  if (namespace === undefined) throw invalid('/namespace', 'is required')
  const object = AgentDeployment.object({
    metadata: { ...metadata, namespace },
    spec: agent.spec as AgentDeploymentSpec,
  })
  return { agent: object, documents: others }
}

/** The agent of an expanded file, and its other documents. */
export function splitDocuments({ documents: [agent, ...others] }: ExpandedAgentFile): {
  readonly agent: ExpandedDocument
  readonly others: readonly ExpandedDocument[]
} {
  if (agent === undefined) throw invalid('/config', 'has no agent')
  return { agent, others }
}

/** A document for its owner, in the namespace of its agent. */
export function toDocument({ kind, metadata, spec }: ExpandedDocument, namespace: DnsLabel): AgentDocument {
  return { kind, namespace, name: metadata.name, spec }
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
