import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Exports of each module in scripts/generators: file contents by path in the repository. */
export interface Generator {
  generate(): Promise<Map<string, string>>
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const GENERATORS = join(ROOT, 'scripts', 'generators')

/** Runs every generator of the folder. Throws if two generators write the same file. */
export async function collect(folder: string = GENERATORS): Promise<Map<string, string>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const files = new Map<string, string>()
  for (const name of names.toSorted()) {
    const module = (await import(pathToFileURL(join(folder, name)).href)) as Generator
    for (const [path, text] of await module.generate()) {
      if (files.has(path)) throw new Error(`${path}: made by two generators, the second is ${name}`)
      files.set(path, text)
    }
  }
  return files
}

/** Generated files that differ on disk. */
export async function findDrift(files: ReadonlyMap<string, string>, root: string = ROOT): Promise<string[]> {
  const drifted = await Promise.all(
    [...files].map(async ([path, text]) => ((await read(join(root, path))) === text ? [] : [path])),
  )
  return drifted.flat()
}

async function read(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined)
}

async function main(check: boolean): Promise<number> {
  const files = await collect()
  const drifted = await findDrift(files)
  for (const path of drifted) {
    if (check) {
      console.error(`${path}: differs from its source; run npm run generate`)
      continue
    }
    await mkdir(dirname(join(ROOT, path)), { recursive: true })
    await writeFile(join(ROOT, path), files.get(path) ?? '')
    console.log(`wrote ${path}`)
  }
  return check && drifted.length > 0 ? 1 : 0
}

if (import.meta.main) process.exitCode = await main(process.argv.includes('--check'))
