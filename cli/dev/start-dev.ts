import { isSea } from 'node:sea'
import { setFlagsFromString } from 'node:v8'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { CliInput } from '#cli/contract/command.ts'
import type { ListedCommand } from '#cli/contract/listed-command.ts'
import type { DevValues } from '#cli/contract/dev.ts'
import { serveReplay } from './serve-replay.ts'

/** `meshctl dev`: imports the platform, which the single binary does not have (ADR 0301). */
export function startDevWith(commands: readonly ListedCommand[]): (input: CliInput<DevValues>) => Promise<number> {
  return (input) => startDev(input, commands)
}

async function startDev(input: CliInput<DevValues>, commands: readonly ListedCommand[]): Promise<number> {
  if (isSea())
    throw new CliProblem(
      'this single binary has no platform, which dev runs',
      'The npm package has it: npm install -g @mesh.dev/mesh, then meshctl dev.',
    )
  // The embedded store is WebAssembly, and optimizing it during the start takes more processor time than it saves. With 75 times the budget V8
  // optimizes only what a long session uses most. The flag --liftoff-only has an effect on the command line alone.
  setFlagsFromString('--wasm-tiering-budget=1000000000')
  const { runDev } = await import('#local/dev/run-dev.ts')
  return runDev({
    ...input,
    serveReplay: (fixture, comparison) => serveReplay(input, commands, { fixture, ...comparison }),
  })
}
