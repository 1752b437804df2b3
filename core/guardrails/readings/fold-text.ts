import type { Letters } from './fold-character.ts'
import { Reading } from './reading.ts'

const plain = /^[!-~]*(?:[ \t\n\r][!-~]+)*[ \t\n\r]?$/

/** Returns the reading of a complete text. */
export function foldText(text: string, letters: Letters = 'words'): string {
  if (plain.test(text)) return text
  const reading = new Reading({ letters, decodes: false }, 0)
  reading.push(text)
  reading.end()
  return reading.slice(0, reading.length)
}
