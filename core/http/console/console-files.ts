import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { toStaticFile } from '../reply/static-file.ts'
import type { StaticFile } from '../reply/static-file.ts'

/** The console in published packages and images, beside this module. */
export const PACKED_CONSOLE = 'console.json.gz'

/** A file of the console. */
export interface PackedFile {
  /** Path on the server; `/` is the page, which each address of the console shows. */
  readonly path: string
  readonly type: string
  /** Its content, compressed, as base64. */
  readonly gzip: string
}

/** Files of the console by path. */
export type ConsoleFiles = ReadonlyMap<string, StaticFile>

const MAX_BYTES = 32 * 1024 * 1024
const MAX_MS = 60_000

let files: Promise<ConsoleFiles> | undefined

/** Returns the files of the console, read when one is first requested. */
export function consoleFiles(): Promise<ConsoleFiles> {
  files ??= readFiles().catch((error: unknown) => {
    files = undefined
    throw error
  })
  return files
}

async function readFiles(): Promise<ConsoleFiles> {
  const packed = await readFile(new URL(`./${PACKED_CONSOLE}`, import.meta.url)).catch(ignoreMissing)
  const list = JSON.parse(gunzipSync(packed ?? (await build())).toString('utf8')) as readonly PackedFile[]
  return new Map(
    list.map(({ path, type, gzip }) => [path, toStaticFile(type, Buffer.from(gzip, 'base64'), { isGzip: true })]),
  )
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

// For a checkout without a bundle: built by a child process, as the bundler is no part of the platform.
async function build(): Promise<Buffer> {
  const program = fileURLToPath(new URL('../../../scripts/console/print-console.ts', import.meta.url))
  const options = { encoding: 'buffer', maxBuffer: MAX_BYTES, timeout: MAX_MS } as const
  return (await promisify(execFile)(process.execPath, [program], options)).stdout
}
