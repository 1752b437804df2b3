import { defineCommand } from '#core/plugin/command.ts'
import type { Command, CommandInput } from '#core/plugin/command.ts'

const options = {
  data: { value: 'DIR', default: '.mesh', help: 'folder for all data' },
  port: {
    value: 'N',
    help: 'port of the API (default 8080, or a free one if that is taken; 0: every port is any free one)',
    parse: parsePort,
  },
  fresh: { help: 'start with an empty folder: its contents are removed first' },
  'no-demo': { help: 'no demo agents' },
  demo: {
    oneOf: ['agents', 'all'],
    default: 'all',
    help: 'agents: without the prompt, dataset and evaluations of the demo',
  },
  output: {
    oneOf: ['text', 'json'],
    default: 'text',
    help: 'json: one line of JSON on stdout when ready; everything else on stderr',
  },
  'api-audit': { value: 'FILE', help: 'one line per request that reaches the embedded API server' },
} as const

/** Options of `mesh all` (`npm start -- ...`). */
export interface LocalOptions {
  readonly data: string
  /** Port of the API; undefined: 8080, or another if it is taken. 0: a free port for every listener. */
  readonly port: number | undefined
  readonly fresh: boolean
  /** `all`: agents, and the contents that are evaluated. */
  readonly demo: 'none' | 'agents' | 'all'
  readonly output: 'text' | 'json'
  /** Audit file of the embedded API server: one line per request. */
  readonly apiAudit: string | undefined
}

/** Declares `mesh all`. */
export function allCommand(load: () => Promise<(given: LocalOptions) => Promise<number>>): Command {
  return defineCommand({
    words: 'all',
    summary: 'start everything on this machine, for evaluation and development',
    examples: [
      ['mesh all', 'start everything on this machine, with its data in .mesh'],
      ['mesh all --port 9000 --data ~/mesh', 'another port, another folder'],
      ['mesh all --fresh --no-demo', 'from nothing, without the demo agents'],
      ['mesh all --output json', 'for programs: one line of JSON when everything is ready'],
    ],
    description:
      'Settings come from mesh.yaml of the working folder, or the file that MESH_CONFIG names. LOG_LEVEL=info prints what happens.',
    options,
    exitCodes: { 0: 'stopped by a signal', 1: 'could not start or run' },
    load: async () => {
      const run = await load()
      return ({ values: { 'no-demo': noDemo, 'api-audit': apiAudit, demo, ...others } }) =>
        run({ ...others, demo: noDemo ? 'none' : demo, apiAudit })
    },
  })
}

const whereData = {
  value: 'DIR',
  help: 'data folder of the platform (default .mesh of this folder, or of the nearest one above)',
} as const

/** Values of `mesh env`. */
export interface EnvValues {
  readonly as: string
  readonly data: string | undefined
  readonly output: 'sh' | 'json'
}

/** Declares `mesh env`: what a terminal needs to use the running platform. */
export function envCommand(load: () => Promise<(input: CommandInput<EnvValues>) => Promise<number>>): Command {
  return defineCommand({
    words: 'env',
    summary: 'print the variables with which a terminal uses the running platform',
    examples: [
      ['eval "$(mesh env --as developer)"', 'for the platform of this folder; npx mesh in a checkout'],
      ['eval "$(mesh env --as admin --data ~/mesh)"', 'another persona, another data folder'],
    ],
    description: `Prints shell commands that set URL (of the API), GATEWAY_URL (of the model gateway), TOKEN and KUBECONFIG of a persona, and the function
api, which is curl with that token. A body of api is JSON unless a Content-Type is given.

Reads the data folder of a platform that \`mesh all\` or \`npm start\` has started, and waits while it is starting.`,
    options: {
      as: { value: 'PERSONA', default: 'developer', help: 'admin, operator, developer, viewer or other-tenant' },
      data: whereData,
      output: { oneOf: ['sh', 'json'], default: 'sh', help: 'json: the same values for programs' },
    },
    exitCodes: { 1: 'no platform runs on the data folder' },
    load,
  })
}

/** Values of `mesh open`. */
export interface OpenValues extends Pick<EnvValues, 'as' | 'data'> {
  readonly output: 'text' | 'json'
}

/** Declares `mesh open`: an address that signs a browser in once. */
export function openCommand(load: () => Promise<(input: CommandInput<OpenValues>) => Promise<number>>): Command {
  return defineCommand({
    words: 'open',
    summary: 'print an address that signs a browser in',
    examples: [
      ['mesh open', 'for the platform of this folder; npx mesh in a checkout'],
      ['mesh open --as viewer --data ~/mesh', 'another persona, another data folder'],
    ],
    description: `Prints an address of the running platform with a code that signs a browser in once, within ten minutes. The browser keeps the session
over reloads and restarts. A session of admin may change its persona in the console.

Reads the data folder of a platform that \`mesh all\` or \`npm start\` has started, and waits while it is starting.`,
    options: {
      as: { value: 'PERSONA', default: 'admin', help: 'admin, operator, developer, viewer or other-tenant' },
      data: whereData,
      output: { oneOf: ['text', 'json'], default: 'text', help: 'json: address and end of the code, for programs' },
    },
    exitCodes: { 1: 'no platform runs on the data folder, or it makes no code' },
    load,
  })
}

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new Error('must be a number from 0 to 65535')
}
