import { open } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Fail } from '#core/errors/domain-error.ts'
import { CONSOLE_POLICY } from '#core/http/console/routes.ts'
import { securityHeaders } from '#core/http/problem/security-headers.ts'
import { hasTag } from '#core/http/reply/etag.ts'
import { wantsJson } from '#core/http/reply/wants-json.ts'
import { findFile, OutsideFolder } from './folder-file.ts'
import type { FolderFile } from './folder-file.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
}

/**
 * Sends a file of a folder. Addresses without a file are pages of the console and get its page, as at the BFF. Throws `not_found` for missing
 * files, and `malformed_request` for a path that is no list of names.
 */
export async function sendFolderFile(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const names = namesOf((request.url ?? '').split('?', 1)[0] ?? '')
  const file = (await findBelow(root, names)) ?? (await findPage(root, names, request))
  if (file === undefined) throw new Fail('not_found')
  await sendFile(file, request, response)
}

function namesOf(path: string): readonly string[] {
  const names = path.split('/').flatMap((segment) => (segment === '' ? [] : [decode(segment)]))
  if (names.some((name) => name === '.' || name === '..' || /[/\\\p{Cc}]/u.test(name)))
    throw new Fail('malformed_request', 'The path must be names of files.')
  return names
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new Fail('malformed_request', 'The path must be percent-encoded UTF-8.')
  }
}

// What begins with a dot belongs to no console: settings of tools, maybe with keys.
async function findBelow(root: string, names: readonly string[]): Promise<FolderFile | undefined> {
  if (names.some((name) => name.startsWith('.'))) throw new Fail('not_found')
  try {
    return await findFile(root, names)
  } catch (error) {
    if (error instanceof OutsideFolder) throw new Fail('not_found', 'The file leads out of the folder of --ui-dist.')
    throw error
  }
}

// Names of objects may have dots, so the extension decides only if it is that of a file.
async function findPage(
  root: string,
  names: readonly string[],
  { headers }: IncomingMessage,
): Promise<FolderFile | undefined> {
  const isFile = names[0] === 'assets' || types[extname(names.at(-1) ?? '')] !== undefined
  return isFile || wantsJson(headers.accept) ? undefined : findBelow(root, ['index.html'])
}

async function sendFile(file: FolderFile, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const type = types[extname(file.path).toLowerCase()] ?? 'application/octet-stream'
  // A build replaces files while dev runs, so a browser asks each time.
  const etag = `W/"${file.size.toString(36)}-${Math.round(file.modifiedMs).toString(36)}"`
  const headers = {
    ...securityHeaders,
    ...(type.startsWith('text/html') ? { 'content-security-policy': CONSOLE_POLICY } : {}),
    'cache-control': 'no-cache',
    etag,
  }
  if (hasTag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end()
    return
  }
  await using handle = await open(file.path)
  response.writeHead(200, { ...headers, 'content-type': type })
  if (request.method === 'HEAD') response.end()
  else await pipeline(handle.createReadStream({ autoClose: false }), response)
}
