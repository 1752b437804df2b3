import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { describeApi, describeCatalog } from '#core/host/role/describe-api.ts'
import { findGaps } from '#core/http/openapi/document-gaps.ts'
import { findMisnamed } from '#core/http/openapi/operation-names.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { plugins } from '#plugins/index.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { filesOfPage } from './page-files.ts'

const page = fileURLToPath(new URL('../../docs/how-to/add-a-kind.md', import.meta.url))

test('R2-UX-4: the plugin of docs/how-to/add-a-kind.md has routes whose names the generator accepts', async (t) => {
  const { path, remove } = tempFolder('add-a-kind')
  t.after(remove)
  const code = filesOfPage(page).get('plugins/shelves/index.ts') ?? ''
  // Outside the package its names of modules have no meaning.
  const resolved = code.replaceAll(/from '([^']+)'/g, (_, name: string) => `from '${import.meta.resolve(name)}'`)
  const file = join(path, 'index.ts')
  writeFileSync(file, resolved)
  const { shelves } = (await import(file)) as { readonly shelves: AnyPlugin }
  const all = [...plugins, shelves]
  const catalog = await describeCatalog(all, '0.0.0')
  assert.deepEqual(findMisnamed(catalog), [])
  const ids = catalog.filter(({ plugin }) => plugin === 'shelves').map(({ endpoint: { id } }) => id)
  assert.deepEqual(ids, ['listShelves', 'getShelf', 'createShelf', 'replaceShelf', 'deleteShelf'])
  const gaps = findGaps(await describeApi(all, '0.0.0'))
  assert.deepEqual(
    Object.values(gaps).map((missing) => JSON.stringify(missing).includes('shel')),
    Object.values(gaps).map(() => false),
  )
})
