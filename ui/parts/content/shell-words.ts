/** A request of the page, for a command line. */
export interface CopiedRequest {
  readonly method: string
  /** Path with its parameters. */
  readonly path: string
  readonly body?: unknown
}

/** A word of a POSIX shell; quoted if it has a sign that the shell reads. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** The request as a `curl`; the token is a variable, never its value. */
export function toCurl({ method, path, body }: CopiedRequest, origin: string): string {
  const parts = [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    quoteWord(origin + path),
    '-H "Authorization: Bearer $TOKEN"',
    ...(body === undefined
      ? []
      : [`-H ${quoteWord('Content-Type: application/json')}`, '-d', quoteWord(JSON.stringify(body))]),
  ]
  return parts.join(' ')
}

/** A command of words. */
export function toCommand(words: readonly string[]): string {
  return words.map(quoteWord).join(' ')
}
