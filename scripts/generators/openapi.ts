import { readFile } from 'node:fs/promises'
import { describeApi } from '#core/host/describe.ts'
import { plugins } from '#plugins/index.ts'

/** The OpenAPI document of every plugin. */
export async function generate(): Promise<Map<string, string>> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  return new Map([['docs/openapi.json', `${JSON.stringify(await describeApi(plugins, version), null, 2)}\n`]])
}
