import type { Static } from 'typebox'
import { Fail } from '#core/http/errors.ts'
import type { FieldError } from '#core/http/errors.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { expandAgentConfig, expandAgentFile } from '#schemas/agent-file.ts'
import type { Expanded } from '#schemas/agent-file.ts'
import { AgentFileError } from '#schemas/agent-file/problem.ts'
import type { CreateAgentBody } from '#schemas/api/agents.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentSpec, AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'

type NewAgentBody = Static<typeof CreateAgentBody>

const OBJECT_FIELDS = ['apiVersion', 'kind', 'metadata', 'spec', 'status'] as const

/** The AgentDeployment of a body: an object, or `{namespace, config}`. Throws `invalid_body`, `invalid_agent_file` or `InvalidName`. */
export function toNewAgent(body: NewAgentBody): AgentDeploymentObject {
  const agent = body.config === undefined ? fromObject(body) : fromConfig(body, body.config)
  parseName('/metadata/name', agent.metadata.name)
  parseLabel('/metadata/namespace', agent.metadata.namespace ?? '')
  return agent
}

function fromObject(body: NewAgentBody): AgentDeploymentObject {
  const { apiVersion, kind, metadata, spec } = body
  if (body.namespace !== undefined) throw invalid('/namespace', 'goes with config; an object has metadata.namespace')
  if (metadata === undefined) throw invalid('/metadata', 'is required, or config')
  if (spec === undefined) throw invalid('/spec', 'is required')
  if ((apiVersion ?? AgentDeployment.apiVersion) !== AgentDeployment.apiVersion) {
    throw invalid('/apiVersion', `must be ${AgentDeployment.apiVersion}`)
  }
  if ((kind ?? AgentDeployment.kind) !== AgentDeployment.kind) throw invalid('/kind', `must be ${AgentDeployment.kind}`)
  const { name, namespace } = metadata
  if (typeof name !== 'string') throw invalid('/metadata/name', 'must be a text')
  if (typeof namespace !== 'string') throw invalid('/metadata/namespace', 'must be a text')
  // The rest of metadata and the spec are the cluster's to judge (fieldValidation=Strict).
  return AgentDeployment.object({ metadata: { ...metadata, name, namespace }, spec: spec as AgentDeploymentSpec })
}

function fromConfig(body: NewAgentBody, config: Record<string, unknown>): AgentDeploymentObject {
  const extra = OBJECT_FIELDS.find((field) => body[field] !== undefined)
  if (extra !== undefined) throw invalid(`/${extra}`, 'excludes config')
  const { documents } = expandConfig(config)
  const [agent, prompt] = documents
  if (agent === undefined) throw invalid('/config', 'has no agent')
  if (prompt !== undefined)
    throw new Fail('not_wired', 'Managed prompts are not configured on this install: use systemPrompt.')
  const { namespace: inside, ...metadata } = agent.metadata
  if (inside !== undefined && body.namespace !== undefined && inside !== body.namespace) {
    throw invalid('/config/namespace', 'differs from namespace')
  }
  const namespace = body.namespace ?? inside
  if (namespace === undefined) throw invalid('/namespace', 'is required')
  return AgentDeployment.object({ metadata: { ...metadata, namespace }, spec: agent.spec as AgentDeploymentSpec })
}

/** Expands a config; its problems become the errors of a 400. */
export function expandConfig(config: unknown): Expanded {
  return asBodyErrors('/config', () => expandAgentConfig(config))
}

/** Expands YAML text; the errors carry line and column. */
export function expandSource(source: string): Expanded {
  return asBodyErrors('/source', () => expandAgentFile(source))
}

function asBodyErrors(field: '/config' | '/source', expand: () => Expanded): Expanded {
  try {
    return expand()
  } catch (error) {
    if (!(error instanceof AgentFileError)) throw error
    const errors = error.problems.map(({ pointer, message, line, column }): FieldError => {
      const place = line === undefined ? '' : ` (line ${line}, column ${column ?? 1})`
      return { pointer: field === '/config' ? `/config${pointer}` : pointer || field, detail: `${message}${place}` }
    })
    throw new Fail('invalid_agent_file', error.message, { errors })
  }
}

function invalid(pointer: string, detail: string): Fail {
  return new Fail('invalid_body', undefined, { errors: [{ pointer, detail }] })
}
