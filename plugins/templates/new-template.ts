import type { Static } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { checkOf } from '#core/validation/validate.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { PublishBody } from '#schemas/api/agent-authoring.ts'
import type { CreateTemplateBody } from '#schemas/api/templates.ts'
import { agentSpec } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AgentTemplate } from '#schemas/crds/agent-template.ts'
import type { AgentTemplateObject, AgentTemplateSpec } from '#schemas/crds/agent-template.ts'
import { GROUP } from '#schemas/names/group.ts'
import { PUBLISHED_FROM_ANNOTATION } from '#schemas/names/labels.ts'

const checkTemplate = checkOf(AgentTemplate.spec)
const checkAgent = checkOf(agentSpec)

/** The AgentTemplate of a body. Throws `invalid_body` or `InvalidName`. */
export function toNewTemplate(body: Static<typeof CreateTemplateBody>): AgentTemplateObject {
  const { apiVersion, kind, metadata, spec } = body
  if ((apiVersion ?? AgentTemplate.apiVersion) !== AgentTemplate.apiVersion) {
    throw invalid('/apiVersion', `must be ${AgentTemplate.apiVersion}`)
  }
  if ((kind ?? AgentTemplate.kind) !== AgentTemplate.kind) throw invalid('/kind', `must be ${AgentTemplate.kind}`)
  const { name, namespace } = metadata
  if (typeof name !== 'string') throw invalid('/metadata/name', 'must be a string')
  if (typeof namespace !== 'string') throw invalid('/metadata/namespace', 'must be a string')
  parseName('/metadata/name', name)
  parseLabel('/metadata/namespace', namespace)
  return AgentTemplate.object({ metadata: { ...metadata, name, namespace }, spec: checked(spec) })
}

// The cluster cannot validate the content of a template, which depends on its target kind.
function checked(spec: Record<string, unknown>): AgentTemplateSpec {
  const errors = checkTemplate(spec).map(({ pointer, detail }) => ({ pointer: `/spec${pointer}`, detail }))
  if (errors.length > 0) throw new Fail('invalid_body', undefined, { errors })
  const valid = spec as AgentTemplateSpec
  if ((valid.for ?? 'agent') !== 'agent') return valid
  const inside = checkAgent(valid.template.spec).map(({ pointer, detail }) => ({
    pointer: `/spec/template/spec${pointer}`,
    detail,
  }))
  if (inside.length > 0) throw new Fail('invalid_body', undefined, { errors: inside })
  return valid
}

/** The template of an agent: its spec and the labels of its author. Annotations are not copied, since they may contain anything. Pure. */
export function toPublished(
  agent: AgentDeploymentObject,
  target: Static<typeof PublishBody> & { name: string; namespace: string },
): AgentTemplateObject {
  const { name, namespace = '', labels = {} } = agent.metadata
  const own = Object.entries(labels).filter(([key]) => !key.split('/')[0]?.endsWith(GROUP))
  const { title, description, tags } = target
  return AgentTemplate.object({
    metadata: {
      name: target.name,
      namespace: target.namespace,
      annotations: { [PUBLISHED_FROM_ANNOTATION]: `${agent.kind}/${namespace}/${name}` },
    },
    spec: {
      for: 'agent',
      title,
      ...(description === undefined ? {} : { description }),
      ...(tags === undefined ? {} : { tags }),
      template: {
        ...(own.length === 0 ? {} : { metadata: { labels: Object.fromEntries(own) } }),
        spec: { ...agent.spec },
      },
    },
  })
}

function invalid(pointer: string, detail: string): Fail {
  return new Fail('invalid_body', undefined, { errors: [{ pointer, detail }] })
}
