import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from './exec.ts'
import { here } from './toolbox.ts'

/** Resources of the checks. */
export interface Workspace {
  /** A temporary folder with one folder per check. */
  readonly folder: string
  readonly openapi: string
  readonly asyncapi: string
  /** URL and token of a developer, once the BFF serves. */
  readonly server: Promise<{ readonly url: string; readonly token: string }>
}

/** A check with sequential steps. */
export interface Check {
  readonly name: string
  /** Why it cannot run on this machine. */
  readonly missing?: string | undefined
  readonly steps: Readonly<Record<string, () => Promise<unknown>>>
  /** Ends what the steps have started. */
  readonly end?: () => Promise<unknown>
}

/** Creates a folder with copies of programs, and with the npm tools if given. */
export function prepareFolder(
  { folder }: Workspace,
  name: string,
  { programs, packages }: { readonly programs: readonly string[]; readonly packages?: string },
): string {
  const made = join(folder, name)
  mkdirSync(made)
  for (const program of programs) cpSync(join(here, 'programs', program), join(made, program.replace(/^go\//, '')))
  if (packages === undefined) return made
  writeFileSync(join(made, 'package.json'), '{ "type": "module" }\n')
  symlinkSync(join(packages, 'node_modules'), join(made, 'node_modules'), 'dir')
  return made
}

/** Runs the program of a client against the BFF. It prints the number of events read from both streams. */
export async function runClient(
  { server }: Workspace,
  name: string,
  command: readonly [string, ...string[]],
  cwd: string,
): Promise<void> {
  const { url, token } = await server
  const output = await exec(command, { cwd, env: { MESH_URL: url, MESH_TOKEN: token, MESH_AGENT: `client-${name}` } })
  const [, run = '0', domain = '0'] = /^(\d+) run events, (\d+) domain events$/m.exec(output) ?? []
  if (Number(run) === 0 || Number(domain) === 0) throw new Error(`${name} read no events: ${output}`)
  console.log(`     ${name}: ${output.trim()}`)
}
