import { defineApiCommand, defineOfflineCommand } from '#cli/contract/command.ts'
import { listOptions } from '#cli/contract/list-options.ts'

/** `meshctl agents list`. */
export const agentsList = defineApiCommand({
  words: 'agents list',
  summary: 'list agents with their runs of the last day',
  examples: [['agents list -A --name invoice --window 1h', 'agents whose names begin with invoice']],
  options: {
    ...listOptions,
    name: { value: 'PREFIX', help: 'agents whose names begin with it' },
    order: { value: 'ORDER', help: 'name, newest or oldest' },
    window: { value: 'DURATION', help: 'window of the runs, from 1m to 90d; 24h by default' },
  },
  load: async () => (await import('./list-agents.ts')).listAgents,
})

/** `meshctl expand`. */
export const expand = defineOfflineCommand({
  words: 'expand',
  summary: 'print the objects of an agent file as YAML',
  examples: [
    ['expand agent.yaml | kubectl apply -f -', 'applies the agent'],
    ['expand a.yaml b.yaml > agents.yaml', 'the objects of several files'],
    ['expand - < agent.yaml', 'reads standard input'],
  ],
  description: `Prints the AgentDeployment of each agent file, and the PromptVersion of its prompt block. A PromptVersion is no object of the cluster, so
kubectl refuses it: POST /api/promptversions takes it, and POST /api/agents takes the agent file with it.

An error names file, line, column and field. Nothing is printed then.`,
  options: {
    file: {
      positional: true,
      repeatable: true,
      required: true,
      value: 'FILE',
      help: 'an agent file, or - for standard input',
    },
  },
  exitCodes: { 1: 'a file is not valid or cannot be read' },
  load: async () => (await import('./expand-files.ts')).expandFiles,
})

/** `meshctl schema`. */
export const schema = defineOfflineCommand({
  words: 'schema',
  summary: 'print the JSON Schema of agent files, for editors',
  examples: [['schema > agent.schema.json', 'for a line such as # yaml-language-server: $schema=agent.schema.json']],
  load: async () => (await import('./print-schema.ts')).printSchema,
})
