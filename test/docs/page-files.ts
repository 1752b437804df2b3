import { readFileSync } from 'node:fs'

/** The files of a page, text by path: code blocks whose first line is a comment with the path (`// library/index.ts`). */
export function filesOfPage(page: string): ReadonlyMap<string, string> {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```(?:tsx?|yaml)\n(?:\/\/|#) (\S+)\n([\s\S]*?)^```$/gm)]
  return new Map(blocks.map(([, path = '', text = '']) => [path, text]))
}

/** The rows of the page's table of files: purpose by path. */
export function listedFiles(page: string): ReadonlyMap<string, string> {
  const [, section = ''] = /^## The files\n([\s\S]*?)^## /m.exec(readFileSync(page, 'utf8')) ?? []
  const rows = [...section.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)]
  return new Map(rows.map(([, path = '', purpose = '']) => [path, purpose]))
}
