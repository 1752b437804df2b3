import { posix } from 'node:path'

const block = /<!-- prelude: (\S+) -->\n[\s\S]*?<!-- \/prelude -->/g

// Steps before the first command of a page.
function toPrelude(persona: string, link: string): string {
  return `<!-- prelude: ${persona} -->

\`npm start\` runs in another terminal. In the same folder:

\`\`\`sh
eval "$(npx mesh env --as ${persona})"
\`\`\`

It sets \`URL\`, \`GATEWAY_URL\`, \`TOKEN\` and \`KUBECONFIG\`, and the function \`api\`: curl with the token. \`--data\` names another data folder. On a
cluster, set them [yourself](${link}).

<!-- /prelude -->`
}

/** Returns a page with current preludes. `folder` is the folder of the page in the repository. */
export function withPreludes(page: string, folder: string): string {
  const link = `${posix.relative(folder, 'docs/operations/local.md')}#use-it-from-a-terminal`
  return page.replace(block, (_, persona: string) => toPrelude(persona, link))
}

/** The commands of a page's prelude. Throws for a page without one. */
export function preludeOf(page: string): string {
  const [found] = page.match(block) ?? []
  const [, commands] = /^```sh\n([\s\S]*?)^```$/m.exec(found ?? '') ?? []
  if (commands === undefined) throw new Error('the page has no prelude')
  return commands
}
