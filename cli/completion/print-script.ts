import { script } from '@bomb.sh/tab'
import type { CliInput } from '#cli/contract/command.ts'

/** Prints the script of a shell. It asks `meshctl complete -- WORD...`. */
export async function printScript({ values }: CliInput<{ readonly shell: string }>): Promise<number> {
  // The library writes to standard output itself.
  script(values.shell, 'meshctl', 'meshctl')
  return 0
}
