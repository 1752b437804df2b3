import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { PackedFile } from '#core/http/console/console-files.ts'
import { currentPackedConsole } from '../../scripts/console/current-packed.ts'

// Reads of the project: none
const root = fileURLToPath(new URL('../../', import.meta.url))
let files: Promise<readonly PackedFile[]> | undefined

/** Files of the console of the current sources, which the runner of the tests has built once for all of them. */
export function consoleFiles(): Promise<readonly PackedFile[]> {
  files ??= currentPackedConsole(root).then(
    (packed) => JSON.parse(gunzipSync(packed).toString('utf8')) as readonly PackedFile[],
  )
  return files
}
