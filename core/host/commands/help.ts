import { nearest } from '#schemas/nearest.ts'

/** One line of `mesh --help`. */
export interface HelpEntry {
  readonly words: string
  readonly summary: string
}

/** Output of `mesh --help`: examples first, then every command. */
export function overview(commands: readonly HelpEntry[], roles: readonly HelpEntry[]): string {
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

/** Message for an unknown command, with the closest known one. */
export function unknownCommand(given: readonly string[], known: readonly string[]): string {
  const [first = '', second = ''] = given.map((word) => word.slice(0, 60))
  const group = known.filter((words) => words.startsWith(`${first} `))
  const text = group.length > 0 && second !== '' ? `${first} ${second}` : first
  const found = nearest(text, known) ?? nearest(first, known)
  if (found !== undefined) return `there is no command ${JSON.stringify(text)}; did you mean mesh ${found}?`
  const near = group.length > 0 ? `; there is ${group.map((words) => `mesh ${words}`).join(' and ')}` : ''
  return `there is no command ${JSON.stringify(text)}${near}`
}

function lines(entries: readonly HelpEntry[]): string {
  return entries.map(({ words, summary }) => `  mesh ${words.padEnd(22)}  ${summary}`).join('\n')
}
