import { nearest } from '#schemas/values/nearest.ts'

/** One line of `mesh --help`. */
export interface HelpEntry {
  readonly words: string
  readonly summary: string
}

/** Output of `mesh --help`: examples first, then every command. */
export function overview(commands: readonly HelpEntry[], roles: readonly HelpEntry[]): string {
  const width = Math.max(...[...commands, ...roles].map(({ words }) => words.length))
  const lines = (entries: readonly HelpEntry[]): string =>
    entries.map(({ words, summary }) => `  mesh ${words.padEnd(width)}  ${summary}`).join('\n')
  return `mesh: a control plane for AI agents on Kubernetes

  mesh all                     start everything on this machine: no cluster, no database, no key
  mesh all --port 9000         the same, with the API on port 9000
  mesh all --data /tmp/mesh    the same, with its data in another folder
  curl -s localhost:8080/docs  the API, once it runs

Commands (mesh COMMAND --help shows the flags of one):

${lines(commands)}

Roles of a cluster, one process each; settings come from mesh.yaml and the environment:

${lines(roles)}

  mesh --version               print the version
`
}

/** Output of `mesh ROLE --help`. */
export function roleHelp({ words, summary }: HelpEntry): string {
  return `  mesh ${words}                      run the role until SIGTERM
  MESH_CONFIG=/etc/mesh.yaml mesh ${words}

${summary}. It takes no flags: settings come from mesh.yaml of the working folder (or the file that MESH_CONFIG names) and from the environment.
`
}

/** Message for an unknown command, with the nearest known one. */
export function unknownCommand(given: readonly string[], known: readonly string[]): string {
  const words = given.slice(0, 4).map((word) => word.slice(0, 60))
  const groups = [...new Set(known.flatMap(beginnings))]
  // Number of leading words that match a known command.
  const common = words.findIndex((_, index) => !groups.includes(words.slice(0, index + 1).join(' ')))
  const text = (common === -1 ? words : words.slice(0, common + 1)).join(' ')
  const found = common === -1 ? undefined : nearestOf(words, common, groups)
  if (found !== undefined) return `unknown command ${JSON.stringify(text)}; did you mean mesh ${found}?`
  const begin = (common === -1 ? words : words.slice(0, common)).join(' ')
  const near = known.filter((one) => begin !== '' && one.startsWith(`${begin} `)).map((one) => `mesh ${one}`)
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
