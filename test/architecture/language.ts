import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const rooms = ['bench', 'cli', 'core', 'deploy', 'docs', 'examples', 'launcher', 'local', 'plugins', 'schemas', 'ui']
const folders = [...rooms, 'scripts', 'test', '.ci']
const pages = ['main.ts', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']

// Texts of other projects, and records that their own programs write.
const foreign =
  /^(?:schemas\/generated\/|local\/apiserver\/schema\/.*\.json$|docs\/operations\/(?:faults|performance)\.md$)/
const kept = /\.(?:m?[jt]s|json|ya?ml|md|sh|html|css|tf|conf)$|Dockerfile$/
const lockFiles = /(?:^|\/)(?:package-lock\.json|go\.sum)$|^test\/chaos\/results\//

// In camel case, too: `toldObjects` and `ObjectTeller`.
const words = ['told', 'tells', 'teller', 'nobody', 'somebody', 'whoever', 'anew']
// What has a name of the field: a string, an installation.
const phrases = ['must be (?:a )?text(?!, json)', '(?:an|the|this) install(?![a-z])']
const capitals = words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
const avoided = new RegExp(
  `(?<![A-Za-z])(?:${words.join('|')})(?![a-z])|(?:${capitals.join('|')})(?![a-z])|\\bfor[\\s*/]+ever\\b|\\b(?:${phrases.join('|')})`,
  'g',
)
// The account of that name, as systems and programs write it.
const account = /'nobody'|nobody:x:\d+:\d+:nobody:|`nobody`/g

/** Avoided words of the project's own files, as `path:line: word`. */
export function wordViolations(root: string): string[] {
  return [...pages, ...folders.flatMap((folder) => filesBelow(root, folder))]
    .filter((path) => path !== 'test/architecture/language.ts' && !foreign.test(path) && !lockFiles.test(path))
    .flatMap((path) => avoidedWords(path, readFileSync(join(root, path), 'utf8')))
}

/** Avoided words in the comments, messages and names of a text. */
export function avoidedWords(path: string, text: string): string[] {
  const own = text.replaceAll(account, (found) => ' '.repeat(found.length))
  return [...own.matchAll(avoided)].map(({ 0: word, index }) => {
    const line = own.slice(0, index).split('\n').length
    return `${path}:${line}: ${word.replaceAll(/\s+/g, ' ')}`
  })
}

function filesBelow(root: string, folder: string): string[] {
  return entriesOf(join(root, folder)).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : filesBelow(root, path)
    return kept.test(entry.name) ? [path] : []
  })
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
