import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { toStaticFile } from '../reply/static-file.ts'
import type { StaticFile } from '../reply/static-file.ts'

/** The script in published packages and images, beside this module. */
export const PACKED_SCRIPT = 'scalar.js.gz'

// The script is 1.4 MB.
const MAX_BYTES = 8 * 1024 * 1024
const MAX_MS = 60_000

let script: Promise<StaticFile> | undefined

/** Returns the browser script of Scalar, read when `/docs` is first requested. */
export function scalarScript(): Promise<StaticFile> {
  script ??= readScript().catch((error: unknown) => {
    script = undefined
    throw error
  })
  return script
}

async function readScript(): Promise<StaticFile> {
  const packed = await readFile(new URL(`./${PACKED_SCRIPT}`, import.meta.url)).catch(ignoreMissing)
  return toStaticFile('text/javascript; charset=utf-8', packed ?? (await extract()), { isGzip: true })
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

// For a checkout: extracted by a child process, since the package's module would keep its text in memory (50 MB).
async function extract(): Promise<Buffer> {
  const program = fileURLToPath(new URL('./extract-scalar.ts', import.meta.url))
  const options = { encoding: 'buffer', maxBuffer: MAX_BYTES, timeout: MAX_MS } as const
  return (await promisify(execFile)(process.execPath, [program], options)).stdout
}
