import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withPreludes } from '../preludes/prelude.ts'
import { withVariables } from '../preludes/variables.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Pages with a prelude. */
export const pages = ['README.md', 'docs/*.md', 'docs/how-to/*.md', 'docs/tutorials/*.md', 'examples/*.md'] as const

/** The preludes in hand-written pages: the steps before the first command are the same everywhere. */
export async function generate(): Promise<Map<string, string>> {
  const found = globSync([...pages], { cwd: root }).toSorted()
  const texts = found.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
  return new Map(
    texts
      .filter(([, text]) => text.includes('<!-- prelude: '))
      .map(([path, text]) => [path, withVariables(withPreludes(text, dirname(path)))]),
  )
}
