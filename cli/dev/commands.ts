import { defineOfflineCommand } from '#cli/contract/command.ts'
import type { CliCommand } from '#cli/contract/command.ts'
import type { ListedCommand } from '#cli/contract/listed-command.ts'

/** `meshctl dev`. It replays by the command `replay-serve` of the list. */
export function devCommand(commands: readonly ListedCommand[]): CliCommand {
  return defineOfflineCommand({
    words: 'dev',
    summary: 'run an agent on this machine, without a cluster',
    examples: [
      ['dev', 'runs agent.yaml; POST http://127.0.0.1:8080/invoke calls it'],
      ['dev -f bot.yaml --provider real --model gpt-5-mini --key-env OPENAI_API_KEY', 'with a model of OpenAI'],
      ['dev --provider real --model llama3.2 --base-url http://127.0.0.1:11434/v1', 'with a model on this machine'],
      ['dev --ui', 'also serves the console, at http://127.0.0.1:8888'],
      ['dev --record run.json', 'records model calls and tool calls'],
      ['dev --replay run.json', 'repeats the recorded runs, and fails if the agent does something else'],
    ],
    description: `Starts the platform in this process, on loopback only, and the agent of the file. A call such as
  curl -H 'Content-Type: application/json' -d '{"input":"Hi"}' http://127.0.0.1:8080/invoke
runs it, and its trace is printed. An edit of the file reloads the agent; while the file is not valid, the last valid one serves.
Ctrl-C stops everything. The data is in a temporary folder that is removed then, unless --data names another one.

--ui serves the console without a sign-in: every program and user of this machine is the admin of the platform there.
The default of --ui-dist is looked for in the working directory; without it, the console of the package is served.

--replay invokes the agent with the recorded inputs, prints what differed from the recording, and exits.`,
    options: {
      file: { value: 'FILE', short: 'f', default: 'agent.yaml', help: 'the agent file' },
      port: { value: 'PORT', short: 'p', default: '8080', help: 'port of /invoke; 0: any free one', parse: toDevPort },
      provider: { oneOf: ['mock', 'real'], default: 'mock', help: 'mock always answers MOCK_OK' },
      model: { value: 'ID', help: 'model of --provider real, as its provider names it' },
      'base-url': {
        value: 'URL',
        help: 'address of --provider real; default: that of OpenAI or Anthropic, by the model',
      },
      'key-env': { value: 'NAME', help: 'variable that holds the API key of --provider real' },
      'no-wait': { help: 'do not wait until the agent is ready' },
      ui: { help: 'also serve the console, without a sign-in' },
      // Presets that only the help has: without --ui, both options are errors.
      'ui-port': { value: 'PORT', help: 'port of --ui; 0: any free one (default 8888)', parse: toDevPort },
      'ui-dist': { value: 'DIR', help: 'folder of a built console (default ui/dist)' },
      record: { value: 'FILE', help: 'add the calls of each run to this recording (mode 0600)' },
      replay: { value: 'FIXTURE', help: 'a recording (JSON), or a folder with its parts' },
      data: { value: 'DIR', help: 'folder that keeps the data; default: a temporary one' },
    },
    exitCodes: {
      0: '--replay: every recorded call was made as recorded',
      1: 'a file or port cannot be used or the agent failed',
      2: '--replay: a call was missing, extra, in another order or different',
      130: 'stopped by Ctrl-C',
      143: 'stopped by SIGTERM, or 129 by a terminal that closes',
    },
    load: async () => (await import('./start-dev.ts')).startDevWith(commands),
  })
}

function toDevPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error('must be a port: 0 to 65535')
  return Number(text)
}
