import type { Examples } from '#core/http/endpoint/endpoint.ts'
import { storedExample } from '#core/http/resource/resource-example.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'

const config = { name: 'hello', model: { route: 'mock' }, systemPrompt: 'You greet people in one sentence.' }

const object = {
  apiVersion: AgentDeployment.apiVersion,
  kind: AgentDeployment.kind,
  metadata: { name: 'hello', namespace: 'demo' },
  spec: { model: { route: 'mock' }, systemPrompt: 'You greet people in one sentence.' },
}

const fromConfig = { summary: 'The simplified format', value: { namespace: 'demo', config } }

const fromObject = { summary: 'The Kubernetes object', value: object }

/** Bodies of the routes of agents, as the OpenAPI document shows them. */
export const examples = {
  create: { config: fromConfig, object: fromObject },
  replace: { object: fromObject },
  fork: {
    otherModel: {
      summary: 'A copy with another model',
      value: { name: 'hello-large', overrides: { model: { route: 'large' } } },
    },
  },
  rollback: { first: { summary: 'The spec of revision 1', value: { revision: 1 } } },
  expand: {
    config: { summary: 'As JSON', value: { config } },
    source: { summary: 'As YAML text', value: { source: 'name: hello\nmodel:\n  route: mock\n' } },
  },
  generate: {
    prompt: { summary: 'A description', value: { namespace: 'demo', prompt: 'An agent that greets people.' } },
  },
  refine: { instruction: { summary: 'A change', value: { config, instruction: 'Answer in French.' } } },
} as const satisfies Record<string, Examples>

/** A stored agent, as success bodies show it. */
export const stored = storedExample(AgentDeployment, examples.replace)
