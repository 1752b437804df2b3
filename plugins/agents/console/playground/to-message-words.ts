import { playgroundText as text } from './text.ts'

/** What a message shows of an input or an output: a string as it is, another value as a block of JSON. Pure. */
export function toMessageWords(value: unknown, isTooLong: boolean): string {
  if (isTooLong && (value === null || value === undefined)) return text.tooLong
  if (typeof value === 'string') return value
  return `\`\`\`json\n${JSON.stringify(value, null, 2) ?? ''}\n\`\`\``
}
