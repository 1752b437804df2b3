import { readFileSync } from 'node:fs'

const manifest = new URL('../package.json', import.meta.url)

/** Version of the package. The single file of meshctl has it as a constant. */
export const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }
