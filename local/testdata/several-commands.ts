import { writeFileSync } from 'node:fs'
import type { main as mainOfMesh } from '../../main.ts'
import { mainProgram } from '#test/harness/program.ts'

// `node several-commands.ts COMMANDS RESULTS`: runs each command line in its folder, one after the other, and writes the output and the exit
// code of each. One process runs all: most of the time of a short command is the import of the platform.
interface Command {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

const { main } = (await import(mainProgram)) as { main: typeof mainOfMesh }
const [cases = '[]', results = ''] = process.argv.slice(2)
const original = process.env
const write = { stdout: process.stdout.write, stderr: process.stderr.write }
const found: { readonly code: number; readonly out: string; readonly err: string }[] = []
for (const { args, cwd, env } of JSON.parse(cases) as Command[]) {
  process.chdir(cwd)
  process.env = { PATH: original.PATH, HOME: original.HOME, ...env }
  const printed = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    process[stream].write = (text: string | Uint8Array) => {
      printed[stream] += String(text)
      return true
    }
  const code = await main(args)
  found.push({ code, out: printed.stdout, err: printed.stderr })
}
Object.assign(process.stdout, { write: write.stdout })
Object.assign(process.stderr, { write: write.stderr })
writeFileSync(results, JSON.stringify(found))
process.exit(0)
