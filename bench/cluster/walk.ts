import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { KubePool } from '#core/kube/connection-pool.ts'

const unzip = promisify(gunzip)

/** Path of a list, parameter of its next page, and the field that indicates one. */
export interface Listing {
  readonly path: string
  readonly cursor: 'cursor' | 'continue'
}

interface Page {
  readonly items: readonly unknown[]
  readonly nextCursor?: string | null
  readonly metadata?: { readonly continue?: string }
}

/** Walks a list like a client: reads, decompresses and parses each page. Returns the number of objects. */
export async function walk(pool: KubePool, bearer: string, listing: Listing): Promise<number> {
  let count = 0
  for await (const { page } of pages(pool, bearer, listing)) count += page.items.length
  return count
}

/** Texts of a list's pages, for processing them without a server. */
export async function readPages(pool: KubePool, bearer: string, listing: Listing): Promise<readonly string[]> {
  const texts: string[] = []
  for await (const { text } of pages(pool, bearer, listing)) texts.push(text)
  return texts
}

async function* pages(pool: KubePool, bearer: string, { path, cursor }: Listing) {
  let next = ''
  do {
    const query = next === '' ? '' : `&${cursor}=${encodeURIComponent(next)}`
    const answer = await pool.calls.request({
      method: 'GET',
      path: `${path}?limit=200${query}`,
      headers: { authorization: `Bearer ${bearer}`, accept: 'application/json', 'accept-encoding': 'gzip' },
    })
    const bytes = Buffer.from(await answer.body.arrayBuffer())
    const text = (answer.headers['content-encoding'] === 'gzip' ? await unzip(bytes) : bytes).toString('utf8')
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`)
    const page = JSON.parse(text) as Page
    yield { text, page }
    next = page.nextCursor ?? page.metadata?.continue ?? ''
  } while (next !== '')
}
