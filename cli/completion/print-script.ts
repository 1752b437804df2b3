import { script } from '@bomb.sh/tab'
import type { CliInput } from '#cli/contract/command.ts'
import { bashScript } from './bash-script.ts'

/** Prints the script of a shell. It asks `meshctl complete -- WORD...`. */
export async function printScript({ values, out }: CliInput<{ readonly shell: string }>): Promise<number> {
  if (values.shell === 'bash') out(bashScript)
  // The library writes to standard output itself.
  else script(values.shell, 'meshctl', 'meshctl')
  return 0
}
