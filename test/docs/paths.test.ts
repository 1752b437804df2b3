import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', 'CONTRIBUTING.md', ...globSync('{docs,examples}/**/*.md', { cwd: root }).toSorted()]
// Paths of an installation, or created by an example, on pages with their own root.
const made = new Set(['deploy/overlays/mine', 'ui/dist'])

test('every link of a document leads to a file, and its anchor to a heading', () => {
  assert.deepEqual([...pages, 'CHANGELOG.md'].flatMap(brokenLinks), [])
})

test('every path of the repository that a document names exists', () => {
  const tops = readdirSync(root, { withFileTypes: true }).filter((one) => one.isDirectory())
  const top = tops
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('.') && name !== 'dist' && name !== 'node_modules')
  assert.deepEqual(
    pages.filter(isCurrent).flatMap((page) => missingPaths(page, top)),
    [],
  )
})

test('the checks of links and paths find what is missing', () => {
  assert.deepEqual(linkFaults('docs/x.md', '[a](nowhere.md) [b](README.md#no-such) [c](README.md#operate)'), [
    'docs/x.md: nowhere.md',
    'docs/x.md: README.md#no-such',
  ])
  assert.deepEqual(pathFaults('x.md', '`core/nowhere.ts` `core/http/` `a/b` `core/<name>.ts`', ['core']), [
    'x.md: core/nowhere.ts',
  ])
})

test('every module that the code of a page imports is there, and exports what the page names', async () => {
  const imports = pages.filter(isCurrent).flatMap((page) => importsIn(readFileSync(join(root, page), 'utf8')))
  assert.ok(imports.length >= 6)
  for (const { names, from } of imports) {
    const { default: _, ...exported } = (await import(from)) as Readonly<Record<string, unknown>>
    for (const name of names) assert.ok(name in exported, `${from} has no ${name}`)
  }
  assert.deepEqual(importsIn("```ts\nimport type { A } from '#a/b.ts'\nimport { c, d } from '#core/x.ts'\n```"), [
    { names: ['c', 'd'], from: '#core/x.ts' },
  ])
})

// Values of our own modules; types have no trace when they are loaded. JSX needs a bundler, which finds a missing name itself.
function importsIn(text: string): readonly { readonly names: readonly string[]; readonly from: string }[] {
  const found = [...text.matchAll(/^import \{ ([^}]+) \} from '(#[^']+\.ts)'$/gm)]
  return found.map(([, names = '', from = '']) => ({ names: names.split(', '), from }))
}

// Decisions and records name files as of their date.
function isCurrent(page: string): boolean {
  return !/^docs\/decisions\/\d|^docs\/operations\/(?:faults|performance)\.md$/.test(page)
}

function brokenLinks(page: string): string[] {
  return linkFaults(page, readFileSync(join(root, page), 'utf8'))
}

function linkFaults(page: string, text: string): string[] {
  const links = [...text.replace(/^```[^]*?^```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to)
  const local = links.filter((to) => !/^[a-z]+:/.test(to))
  return local.filter((to) => !leads(page, to)).map((to) => `${page}: ${to}`)
}

function leads(page: string, to: string): boolean {
  const [path = '', anchor] = to.split('#')
  const target = path === '' ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor)
}

// Anchors of headings as GitHub creates them, and explicit ids.
function anchorsOf(page: string): ReadonlySet<string> {
  const text = readFileSync(join(root, page), 'utf8')
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
  return new Set([...headings, ...[...text.matchAll(/id="([^"]+)"/g)].map(([, id = '']) => id)])
}

function missingPaths(page: string, top: readonly string[]): string[] {
  return pathFaults(page, readFileSync(join(root, page), 'utf8'), top)
}

function pathFaults(page: string, text: string, top: readonly string[]): string[] {
  const named = [...text.matchAll(/`([\w./@-]+)`/g)].map(([, path = '']) => path)
  const ours = named.filter((path) => path.includes('/') && top.includes(path.split('/')[0] ?? '') && !made.has(path))
  return ours.filter((path) => !existsSync(join(root, path))).map((path) => `${page}: ${path}`)
}
