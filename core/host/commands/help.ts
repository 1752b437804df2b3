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
