/** Converts `ModelRoute` to "model route". */
export function nounWords(noun: string): string {
  return noun.replaceAll(/(?!^)([A-Z])/g, ' $1').toLowerCase()
}

/** Returns the plural of a noun, with the ending of the path: `Shelves` for `Shelf` and `/shelves`. */
export function nounPlural(noun: string, path: string): string {
  const plural = path.slice(path.lastIndexOf('/') + 1)
  const same = [...noun.toLowerCase()].findIndex((letter, index) => letter !== plural[index])
  const shared = same === -1 ? noun.length : same
  return shared < noun.length / 2 ? `${noun.replace(/y$/, 'ie')}s` : noun.slice(0, shared) + plural.slice(shared)
}

/** A noun with its indefinite article. */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
}
