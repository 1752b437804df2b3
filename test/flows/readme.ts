import { readFileSync } from 'node:fs'

/** The `sh` blocks of one section of a Markdown file, in order. */
export function commandsOf(file: string, heading: string): readonly string[] {
  return blocksOf(file, heading, 'sh')
}

/** The blocks in a language (`ts`) of one section of a Markdown file, in order. */
export function blocksOf(file: string, heading: string, language: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`${file} has no section "${heading}"`)
  return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, of, body]) =>
    of === language && body !== undefined ? [body.trim()] : [],
  )
}
