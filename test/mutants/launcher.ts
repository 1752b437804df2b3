import type { Mutant } from './mutant.ts'

const agentFile = ['schemas/agent-file.test.ts']

/** Defects in what the launcher and the agent format hold against hostile input. */
export const mutants: readonly Mutant[] = [
  {
    name: 'the YAML library compares all keys of a map in pairs',
    file: 'schemas/agent-file/parse.ts',
    find: 'uniqueKeys: false',
    replace: 'uniqueKeys: true',
    tests: agentFile,
    only: 'SEC3',
  },
  {
    name: 'every problem of an agent file is listed',
    file: 'schemas/agent-file/problem.ts',
    find: 'MAX_PROBLEMS = 20',
    replace: 'MAX_PROBLEMS = 100_000',
    tests: agentFile,
    only: 'SEC3',
  },
]
