import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// In a workspace of its own; plugins' pages are outside of it.
const packages = ['react', 'react-dom', '@tanstack/react-query', '@tanstack/react-router']

/** Where the packages are that the console and the pages of plugins share: the root has another React. */
export function consoleAliases(root: string): Readonly<Record<string, string>> {
  return Object.fromEntries(packages.map((name) => [name, packageFolder(root, name)]))
}

// npm keeps packages of the workspace in it where the root has another version.
function packageFolder(root: string, name: string): string {
  const { devDependencies } = readManifest(join(root, 'ui')) ?? {}
  const wanted = devDependencies?.[name]
  for (const folder of ['ui/node_modules', 'node_modules']) {
    const path = join(root, folder, name)
    if (readManifest(path)?.version === wanted) return path
  }
  throw new Error(`${name} ${wanted} is not installed: npm ci installs it`)
}

interface PackageManifest {
  readonly version?: string
  readonly devDependencies?: Readonly<Record<string, string>>
}

function readManifest(folder: string): PackageManifest | undefined {
  const file = join(folder, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PackageManifest) : undefined
}
