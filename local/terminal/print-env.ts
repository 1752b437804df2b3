import { setTimeout as sleep } from 'node:timers/promises'
import { BadArguments } from '#core/command-line/option.ts'
import type { CommandInput } from '#core/plugin/command.ts'
import type { EnvValues } from '#core/host/commands/all-command.ts'
import { personas } from '../data-folder/personas.ts'
import type { Persona } from '../data-folder/personas.ts'
import { isRunning, nearestDataFolder, readAccess } from '../data-folder/running-platform.ts'
import type { PlatformAccess } from '../data-folder/running-platform.ts'

// A first start takes seconds, on a slow machine a minute.
const longestStartMs = 300_000
const lookMs = 50

/** Prints the variables of a persona, as soon as the platform has started. */
export async function printEnv({ values, out, err }: CommandInput<EnvValues>): Promise<number> {
  const access = await waitForAccess(values, err)
  out(values.output === 'json' ? `${JSON.stringify(access)}\n` : toShell(access))
  return 0
}

/** How to use the platform of a data folder as a persona, as soon as it has started. */
export async function waitForAccess(
  { as, data: given }: Pick<EnvValues, 'as' | 'data'>,
  err: (text: string) => void,
): Promise<PlatformAccess> {
  const persona = personaOf(as)
  const data = given ?? nearestDataFolder(process.cwd())
  await untilRunning(data, err)
  return readAccess(data, persona)
}

async function untilRunning(data: string, err: (text: string) => void): Promise<void> {
  if (isRunning(data)) return
  err(`mesh: waiting for the platform on ${data}, which is starting or stopping ...\n`)
  const end = performance.now() + longestStartMs
  while (!isRunning(data) && performance.now() < end) await sleep(lookMs)
}

function personaOf(given: string): Persona {
  const found = personas.find((name) => name === given)
  if (found === undefined) throw new BadArguments(`--as ${given.slice(0, 60)}: must be one of ${personas.join(', ')}`)
  return found
}

/** Commands for sh, bash and zsh. */
export function toShell({ url, gatewayUrl, token, kubeconfig }: PlatformAccess): string {
  const variables = { URL: url, GATEWAY_URL: gatewayUrl, TOKEN: token, KUBECONFIG: kubeconfig }
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quote(value)}\n`)
  return `${lines.join('')}${apiFunction}`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

// A body is JSON unless its type is given: two headers with the same name would both be sent.
const apiFunction = `api() {
  mesh_body=
  for mesh_arg; do
    case $mesh_arg in
      [Cc]ontent-[Tt]ype:* | -H[Cc]ontent-[Tt]ype:*) mesh_body=typed ;;
      -d* | --data*) mesh_body=\${mesh_body:-json} ;;
    esac
  done
  if [ "$mesh_body" = json ]; then set -- -H 'Content-Type: application/json' "$@"; fi
  curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" "$@"
}
`
