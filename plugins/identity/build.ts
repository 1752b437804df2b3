import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** What runs in this process. */
export interface Build {
  readonly digest: string | null
  readonly node: string
  readonly platform: string
}

let digest: Promise<string | null> | undefined

/** Identifies the program of this process. A bundle names its other files by their hashes, so that one digest covers them. */
export async function readBuild(): Promise<Build> {
  const { argv, platform, arch, versions } = process
  digest ??= digestOf(argv[1] ?? '')
  return { digest: await digest, node: versions.node, platform: `${platform}-${arch}` }
}

async function digestOf(file: string): Promise<string | null> {
  try {
    return `sha256:${createHash('sha256')
      .update(await readFile(file))
      .digest('hex')}`
  } catch {
    return null
  }
}
