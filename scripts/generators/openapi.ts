import { readFile } from 'node:fs/promises'
import { describeApi, describeCatalog } from '#core/host/role/describe-api.ts'
import { describeGaps, findGaps } from '#core/http/openapi/document-gaps.ts'
import { findMisnamed } from '#core/http/openapi/operation-names.ts'
import { plugins } from '#plugins/index.ts'

/** The OpenAPI document of every plugin. */
export async function generate(): Promise<Map<string, string>> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  const misnamed = findMisnamed(await describeCatalog(plugins, version))
  if (misnamed.length > 0) throw new Error(`names of operations:\n${misnamed.join('\n')}`)
  const document = await describeApi(plugins, version)
  const gaps = describeGaps(findGaps(document))
  if (gaps.length > 0) throw new Error(`the OpenAPI document has gaps:\n${gaps.join('\n')}`)
  return new Map([['docs/reference/openapi.json', `${JSON.stringify(document, null, 2)}\n`]])
}
