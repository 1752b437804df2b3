import assert from 'node:assert/strict'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { PackedFile } from '#core/http/console/console-files.ts'
import { CONSOLE_POLICY } from '#core/http/console/routes.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { packConsole } from '../../scripts/console/pack-console.ts'
import { toPageList } from '../../scripts/generators/console-pages.ts'
import { needsChromium, openBrowser } from '../console/browser-session.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import type { Platform } from '../flows/platform/running-platform.ts'
import { filesOfPage } from './page-files.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const files = filesOfPage(join(root, 'docs/how-to/add-a-page.md'))
const page = { id: 'recipes', title: 'Recipes', section: 'Build', path: '/recipes', capability: 'templates' }
const entry = 'plugins/templates/console/page.ts'

// A tree with the shell, and the plugin of the page.
async function makeTree(t: Scope): Promise<string> {
  const folder = tempFolder('add-a-page')
  t.after(() => folder.remove())
  cpSync(join(root, 'ui'), join(folder.path, 'ui'), {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  })
  for (const name of ['node_modules', 'schemas', 'ui/node_modules']) link(folder.path, name)
  cpSync(join(root, 'package.json'), join(folder.path, 'package.json'))
  for (const [path, text] of files) write(folder.path, path, text)
  const declared = [{ name: 'templates', console: [page] }] as readonly object[] as readonly AnyPlugin[]
  const exports = { templatesPages: { id: 'recipes', routes: [{ path: '/recipes' }] } }
  write(folder.path, 'ui/page-list.ts', toPageList([{ path: entry, exports }], declared))
  return folder.path
}

function link(folder: string, name: string): void {
  try {
    symlinkSync(join(root, name), join(folder, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** Serves a console in front of the API of a platform, whose capabilities have the page of the document. */
async function serve(t: Scope, packed: readonly PackedFile[], platform: Platform): Promise<string> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname
    if (path.startsWith('/api/') || path === '/session')
      return relay(platform, path, { request, response }).catch(() => response.destroy())
    const file = packed.find((one) => one.path === path) ?? packed.find((one) => one.path === '/')
    const headers = {
      'content-type': file?.type,
      'content-encoding': 'gzip',
      'content-security-policy': CONSOLE_POLICY,
    }
    return response.writeHead(200, headers).end(Buffer.from(file?.gzip ?? '', 'base64'))
  })
  return listen(t, server)
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

async function relay({ url }: Platform, path: string, { request, response }: Exchange): Promise<void> {
  const { cookie = '', 'content-type': type = 'application/json' } = request.headers
  const body = request.method === 'POST' ? await readText(request) : undefined
  const own = { origin: url, 'sec-fetch-site': 'same-origin', 'x-mesh-session': '1' }
  const answer = await fetch(`${url}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { cookie, 'content-type': type, ...own },
    ...(body === undefined ? {} : { body }),
  })
  const given = (await answer.json()) as object
  const shown = path === '/api/capabilities' ? { ...given, pages: [page] } : given
  const headers = { 'content-type': 'application/json', 'set-cookie': answer.headers.getSetCookie() }
  response.writeHead(answer.status, headers).end(JSON.stringify(shown))
}

test('the page of docs/how-to/add-a-page.md shows the recipes of a platform', needsChromium, async (t) => {
  assert.deepEqual(
    [...files.keys()],
    [entry, 'plugins/templates/console/text.ts', 'plugins/templates/console/recipes-page.tsx'],
  )
  const { packed } = await packConsole(await makeTree(t))
  const platform = await sharedEmbedded()
  const url = await serve(t, JSON.parse(gunzipSync(packed).toString('utf8')) as readonly PackedFile[], platform)
  const browser = await openBrowser(t)
  await browser.open(`${url}/recipes`)
  await browser.until(/Sign in to/)
  await browser.submit('#token', platform.tokens.viewer)
  await browser.until(/Assistant with approval/)
  assert.deepEqual(browser.problems, [])
})
