import { globSync, readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { idPattern } from './table.ts'

// Versions, base64 and generated text contain look-alikes; tests of this folder contain invented ids.
const skipped =
  /(?:^|\/)(?:node_modules|dist|coverage|testdata|fixtures|generated)\/|^scripts\/requirements\/|\.(?:json|lock)$|^docs\/reference\/requirements\.md$/

/** Finds ids in comments, test names and documents, with the first file that contains each. */
export function findUsedIds(root: URL): Map<string, string> {
  const found = new Map<string, string>()
  const files = globSync(
    [
      '{core,plugins,schemas,launcher,local,scripts,test,bench,deploy,docs,examples}/**/*.{ts,mjs,c,sql,yaml,md}',
      '*.{ts,md}',
    ],
    { cwd: root },
  )
  for (const path of files.map((file) => file.replaceAll(sep, '/')).toSorted()) {
    if (skipped.test(path)) continue
    for (const id of idsIn(readFileSync(new URL(path, root), 'utf8'))) if (!found.has(id)) found.set(id, path)
  }
  return found
}

/** Ids that occur in a text as words: `(A4)`, `A4/A10:`, `SEC8,`, but not `v1.A4` or `A4b=`. */
export function idsIn(text: string): string[] {
  const word = new RegExp(String.raw`(?<![\w.=$%#-])${idPattern}(?![\w=-]|\.\w)`, 'g')
  return [...text.matchAll(word)].map(([id]) => id)
}
