/** Output of `meshctl --help`. */
export function cliOverview(commands: readonly { readonly words: string; readonly summary: string }[]): string {
  const width = Math.max(...commands.map(({ words }) => words.length))
  const lines = commands.map(({ words, summary }) => `  meshctl ${words.padEnd(width)}  ${summary}`)
  return `meshctl: the command line of mesh

  meshctl runs list                        the runs of the namespace of the context
  meshctl runs list -A --state failed      failed runs of every namespace that you may see
  meshctl runs get RUN_ID -o yaml          one run with its input and output

Commands (meshctl COMMAND --help shows the flags of one):

${lines.join('\n')}

  meshctl --version               print the version
  meshctl WORD...                 run the program meshctl-WORD... of a third party on the PATH

Server, token and namespace are those of the current context of the kubeconfig; meshctl context set names the server.
Exit code: 0 done, 1 could not run or wrong arguments; the help of a command has further ones.
`
}
