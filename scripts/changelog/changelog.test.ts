import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { generate } from '../generators/changelog.ts'
import { entryFault } from './entries.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('entries of a group are its files, those of later days first, and the lines of before', async (t) => {
  const folder = folderWith(t, {
    'earlier.md': '# Before\n\n## Added\n\n- Old.\n\n## Fixed\n\n- Mended.\n',
    'added/2026-11-28-b.md': 'B.\n',
    'added/2026-11-29-a.md': 'A.\n',
    'security/2026-11-28-c.md': 'C.\n',
  })
  const page = (await generate(pathToFileURL(`${folder}/`))).get('CHANGELOG.md') ?? ''
  assert.equal(
    page.slice(page.indexOf('\n### ')),
    '\n### Added\n\n- A.\n- B.\n- Old.\n\n### Fixed\n\n- Mended.\n\n### Security\n\n- C.\n',
  )
})

test('a file that is no entry is refused by its name', async (t) => {
  assert.equal(entryFault('2026-11-28-some-words.md', '`mesh` starts.'), undefined)
  assert.match(entryFault('some-words.md', 'A.') ?? '', /must be named YYYY-MM-DD/)
  assert.match(entryFault('2026-11-28-a.md', '') ?? '', /one paragraph/)
  assert.match(entryFault('2026-11-28-a.md', 'A.\nB.') ?? '', /one paragraph/)
  assert.match(entryFault('2026-11-28-a.md', '- A.') ?? '', /mark of lists/)
  assert.match(
    entryFault('2026-11-28-a.md', `${'a '.repeat(41)}.`.replace('a', 'A')) ?? '',
    /has 42 words, of at most 40/,
  )
  const folder = folderWith(t, { 'earlier.md': '', 'added/notes.txt': 'A.' })
  await assert.rejects(generate(pathToFileURL(`${folder}/`)), /changes: notes\.txt must be named/)
})

test('branches that each add an entry, a requirement, a decision and a route merge without a conflict', (t) => {
  const shared = ['.gitattributes', 'CHANGELOG.md', 'docs/decisions/README.md', 'docs/reference/openapi.json']
  const yaml = 'scripts/requirements/requirements.yaml'
  const pages = [...shared, 'docs/reference/requirements.md', yaml]
  const folder = folderWith(t, Object.fromEntries(pages.map((path) => [path, readFileSync(join(root, path), 'utf8')])))
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
  const commit = (): string => git('add', '-A') + git('commit', '-q', '--no-gpg-sign', '-m', 'one')
  git('init', '-q', '-b', 'main')
  commit()
  for (const branch of ['a', 'b']) {
    git('checkout', '-q', '-b', branch, 'main')
    for (const path of pages.slice(1)) addLine(join(folder, path), `    Z${branch}: of branch ${branch}`)
    commit()
  }
  git('merge', '-q', '--no-edit', '--no-gpg-sign', 'a')
  const merged = readFileSync(join(folder, yaml), 'utf8')
  assert.match(merged, /Za: of branch a/)
  assert.match(merged, /Zb: of branch b/)
})

/** Adds a line before the last one. */
function addLine(file: string, line: string): void {
  const lines = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, lines.toSpliced(-2, 0, line).join('\n'))
}

function folderWith(t: test.TestContext, files: Readonly<Record<string, string>>): string {
  const { path, remove } = tempFolder('changelog')
  t.after(remove)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  return path
}
