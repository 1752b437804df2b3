import { crud } from '#core/plugin/crud.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { readOneAgent } from './authoring/agent-file.ts'
import { checkAgent } from './authoring/check-agent.ts'
import { examples } from './endpoints/examples.ts'

/** Agents; creating one has a route of its own, which also takes the simplified format. */
export const agentKind = crud(AgentDeployment, {
  verbs: ['list', 'get', 'update', 'delete'],
  path: '/agents',
  noun: 'Agent',
  examples: examples.replace,
  readYaml: readOneAgent,
  check: checkAgent,
  sample: { model: { route: 'mock' }, systemPrompt: 'You greet people in one sentence.' },
})
