import type { Started } from './stack.ts'
import { threeCommands } from './landing-page.ts'

/** The line of `--output json`: what a program needs, and nothing else on stdout. */
export function toJsonLine(started: Started, pid: number): string {
  const { url, kubeconfig, dataDir, gatewayUrl, tokens } = started
  return `${JSON.stringify({ url, kubeconfig, dataDir, gatewayUrl, tokens, pid })}\n`
}

/** What a person reads when everything is up. */
export function toText(started: Started): string {
  const tried = threeCommands(started).map(({ what, command }) => `  ${what}:\n${indent(command)}\n`)
  const moved = started.moved.length > 0 ? `  moved from a taken port: ${started.moved.join(', ')}\n` : ''
  return `
mesh is running at ${started.url}/#code=${started.code}
  (the code in that address is good once, for ten minutes)

  API reference   ${started.url}/docs
  model gateway   ${started.gatewayUrl}/v1   (any OpenAI client)
  kubeconfig      ${started.kubeconfig}
  tokens          ${started.tokensFile}
${moved}
${tried.join('\n')}
This is the embedded default: one process, this machine only, not for production. Agents run as you: one that is
hostile can read every token here, so the personas show what roles may do and protect nothing. Ctrl-C stops it; the data stays in ${started.dataDir}.
`
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
}
