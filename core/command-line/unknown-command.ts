import { nearest } from '#schemas/values/nearest.ts'

/** Message for an unknown command, with the nearest known one. */
export function unknownCommand(given: readonly string[], known: readonly string[], program = 'mesh'): string {
  const words = given.slice(0, 4).map((word) => word.slice(0, 60))
  const groups = [...new Set(known.flatMap(beginnings))]
  // Number of leading words that match a known command.
  const common = words.findIndex((_, index) => !groups.includes(words.slice(0, index + 1).join(' ')))
  const text = (common === -1 ? words : words.slice(0, common + 1)).join(' ')
  const found = common === -1 ? undefined : nearestOf(words, common, groups)
  if (found !== undefined) return `unknown command ${JSON.stringify(text)}; did you mean ${program} ${found}?`
  const begin = (common === -1 ? words : words.slice(0, common)).join(' ')
  const near = known.filter((one) => begin !== '' && one.startsWith(`${begin} `)).map((one) => `${program} ${one}`)
  return `unknown command ${JSON.stringify(text)}${near.length === 0 ? '' : `; there is ${near.join(' and ')}`}`
}

function beginnings(words: string): readonly string[] {
  const parts = words.split(' ')
  return parts.map((_, index) => parts.slice(0, index + 1).join(' '))
}

// Words after a command are not part of its name.
function nearestOf(words: readonly string[], common: number, known: readonly string[]): string | undefined {
  for (let count = words.length; count > common; count -= 1) {
    const found = nearest(words.slice(0, count).join(' '), known)
    if (found !== undefined) return found
  }
  return undefined
}
