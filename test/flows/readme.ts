import { readFileSync } from 'node:fs'

/** The `sh` blocks of one section of a Markdown file, in order. */
export function commandsOf(file: string, heading: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`${file} has no section "${heading}"`)
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, body]) => (body ?? '').trim())
}
