import { plural } from '#ui/text/plural.ts'

/** The words of the page of an agent, in English. */
export const agentText = {
  agents: 'Agents',
  tabsLabel: 'Parts of the agent',
  tabs: {
    overview: 'Overview',
    playground: 'Playground',
    runs: 'Runs',
    versions: 'Versions',
    logs: 'Logs',
    memory: 'Memory',
    policies: 'Policies',
    yaml: 'YAML',
  },
  gone: 'This agent was deleted',
  goneDetail: 'What was known of it stays here until you leave the page.',
  stale: 'This is the last that was read',
  notAllowed: (verb: string) => `Your role does not allow you to ${verb}.`,
  deleted: 'The agent does not exist any more.',
  facts: {
    namespace: 'Namespace',
    revision: 'Revision',
    replicas: 'Replicas',
    route: 'Model route',
    day: '24 h',
  },
  runs: (runs: number, failed: number) =>
    `${plural(runs, 'run', 'runs')} in 24 h, ${failed.toLocaleString('en')} failed`,
  runCount: (runs: number) => plural(runs, 'run', 'runs'),
  actions: {
    talk: 'Talk',
    edit: 'Edit',
    fork: 'Fork',
    publish: 'Publish as a template',
    remove: 'Delete',
    verbs: { remove: 'delete this agent', edit: 'change this agent' },
  },
  remove: {
    title: (name: string) => `Delete ${name}?`,
    effects: {
      pods: 'Its pods and its versions are deleted. This cannot be undone.',
      runs: 'Its ended runs and their traces stay.',
    },
    action: 'Delete the agent',
    breaks: 'What refers to it, and breaks',
    nothing: 'Nothing that you may read refers to it.',
    looking: 'Looking for what refers to it',
    done: (name: string) => `${name} is deleted.`,
  },
  fork: {
    title: (name: string) => `Fork ${name}`,
    hint: 'The copy has the same spec, and its own versions, runs and memory.',
    name: 'Name',
    namespace: 'Namespace',
    action: 'Create the copy',
  },
  publish: {
    title: (name: string) => `Publish ${name} as a template`,
    hint: 'A template has the spec of the agent as it is now. Others can start from it.',
    words: 'Title',
    description: 'Description',
    tags: 'Tags',
    tagsHint: 'Words with commas between them.',
    action: 'Publish',
    done: (title: string) => `The template ${title} is published.`,
  },
} as const
