import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>
type Config<O extends Options> = { readonly allowPositionals: true; readonly options: O }

/** Parses the arguments of a script. `--help` prints `usage` and exits with 0; an unknown option prints its error and `usage`, and exits with 2. */
export function readArguments<const O extends Options>(
  usage: string,
  options: O,
): ReturnType<typeof parseArgs<Config<O>>> {
  if (['--help', '-h'].some((flag) => process.argv.includes(flag))) {
    process.stdout.write(usage)
    process.exit(0)
  }
  try {
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exit(2)
  }
}
