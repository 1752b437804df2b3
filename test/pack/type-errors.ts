import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The compiler of the repository: packages are installed without its programs. */
export const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

/**
 * Writes modules into a folder where the package is installed and type-checks them as their author would, under strict:
 * the errors of each file that has some, those of the package's declarations included (by their paths).
 */
export function typeErrors(folder: string, modules: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text)
  const config = {
    compilerOptions: {
      target: 'es2024',
      module: 'nodenext',
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      types: ['node'],
    },
    files: Object.keys(modules),
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (stderr !== '') throw new Error(stderr)
  return errorsOf(stdout, (path) => path in modules || path.includes('/@mesh.dev/mesh/'))
}

// `greeter.ts(3,5): error TS2322: ...`, then indented lines with the reasons.
function errorsOf(output: string, isOurs: (path: string) => boolean): ReadonlyMap<string, string> {
  const errors = new Map<string, string>()
  let current: string | undefined
  for (const line of output.split('\n')) {
    const [, path, message] = /^(\S[^(]*)\(\d+,\d+\): error TS\d+: (.*)$/.exec(line) ?? []
    if (path !== undefined) current = isOurs(path) ? path : undefined
    const text = message ?? (line.startsWith(' ') ? line : undefined)
    if (current === undefined || text === undefined) continue
    const before = errors.get(current)
    errors.set(current, before === undefined ? text : `${before}\n${text}`)
  }
  return errors
}
