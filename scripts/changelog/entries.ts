import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Groups of Keep a Changelog 1.1.0, in its order. The folder of a group is its name in lowercase. */
export const groups = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'] as const

const mostWords = 40
const fileName = /^\d{4}-\d{2}-\d{2}-[a-z0-9]+(?:-[a-z0-9]+)*\.md$/

/** Entries of a group: first the files, newest day first, then the lines of earlier.md. Throws for a file that is not an entry. */
export function entriesOf(folder: URL, group: string): string[] {
  return [...fromFiles(new URL(`${group.toLowerCase()}/`, folder)), ...earlier(folder, group)]
}

function fromFiles(folder: URL): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .toSorted((a, b) => b.slice(0, 10).localeCompare(a.slice(0, 10)) || a.localeCompare(b))
    .map((name) => {
      const text = readFileSync(new URL(name, folder), 'utf8').trim()
      const fault = entryFault(name, text)
      if (fault !== undefined) throw new Error(`changes: ${name} ${fault}`)
      return text
    })
}

/** Returns why a file is not a valid entry, or undefined. */
export function entryFault(name: string, text: string): string | undefined {
  if (!fileName.test(name)) return 'must be named YYYY-MM-DD-some-words.md'
  if (text === '' || text.includes('\n')) return 'must have one paragraph on one line'
  if (!/^[A-Z`[]/.test(text) || !/[.)]$/.test(text)) return 'must have sentences, without a mark of lists'
  const words = text.split(/\s+/).length
  return words > mostWords ? `has ${words} words, of at most ${mostWords}` : undefined
}

function earlier(folder: URL, group: string): string[] {
  const text = readFileSync(new URL('earlier.md', folder), 'utf8')
  const [, part = ''] = new RegExp(`^## ${group}\n([^]*?)(?=^## |(?![^]))`, 'm').exec(text) ?? []
  return part.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []))
}
