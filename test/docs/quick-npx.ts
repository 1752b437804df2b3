import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const packageFile = new URL('../../package.json', import.meta.url)

/**
 * A folder for the PATH whose `npx` runs the programs of this package directly, and is npm's for all others. npm itself reads the whole tree of packages
 * first, for one to three seconds of processor time, a hundred times in the pages; test/flows/readme.test.ts uses it.
 */
export function quickNpx(scope: Scope): string {
  const { bin } = JSON.parse(readFileSync(packageFile, 'utf8')) as { readonly bin: Readonly<Record<string, string>> }
  const cases = Object.entries(bin).map(([name, path]) => `  ${name}) shift; exec node '${toPath(path)}' "$@";;`)
  const { path: folder, remove } = tempFolder('npx')
  scope.after(remove)
  const file = join(folder, 'npx')
  writeFileSync(file, ['#!/bin/sh', 'case $1 in', ...cases, 'esac', 'exec npm exec -- "$@"', ''].join('\n'))
  chmodSync(file, 0o755)
  return folder
}

function toPath(path: string): string {
  return new URL(path, packageFile).pathname
}
